/** The workflows that ship: their tools, and the files in `integrations/n8n` that make them. */
import type { WorkflowSettings } from './n8n-settings.ts';

const text = (description: string) => ({ type: 'string', minLength: 1, description }) as const;

const SECOND_MS = 1_000;

export const SHIPPED_WORKFLOWS: Readonly<Record<string, WorkflowSettings>> = {
  send_email: {
    workflowId: 'toolcribSendEmail',
    webhookPath: 'toolcrib-send-email',
    description: 'Sends an email by an n8n workflow. A person is asked before every message.',
    input: {
      type: 'object',
      properties: {
        to: text('The address of the recipient.'),
        subject: text('The subject line.'),
        body: text('The message, as plain text or HTML.'),
        isHtml: { type: 'boolean', default: false, description: 'Whether the body is HTML.' },
      },
      required: ['to', 'subject', 'body'],
      additionalProperties: false,
    },
    timeoutMs: 30 * SECOND_MS,
    costUsd: 0.001,
    asksFirst: true,
    permissions: ['tool:send_email'],
  },
  create_calendar_event: {
    workflowId: 'toolcribCreateCalendarEvent',
    webhookPath: 'toolcrib-create-calendar-event',
    description: 'Creates a calendar event by an n8n workflow. A person is asked before.',
    input: {
      type: 'object',
      properties: {
        title: text('The title of the event.'),
        description: { type: 'string', description: 'What it is about.' },
        startTime: { ...text('When it starts (ISO 8601).'), format: 'date-time' },
        endTime: { ...text('When it ends (ISO 8601).'), format: 'date-time' },
        attendees: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          maxItems: 200,
          description: 'Email addresses of the people who are invited.',
        },
      },
      required: ['title', 'startTime', 'endTime'],
      additionalProperties: false,
    },
    timeoutMs: 30 * SECOND_MS,
    costUsd: 0.001,
    asksFirst: true,
    permissions: ['tool:calendar'],
  },
  send_notification: {
    workflowId: 'toolcribSendNotification',
    webhookPath: 'toolcrib-send-notification',
    description: 'Sends a push notification by an n8n workflow. A person is asked before.',
    input: {
      type: 'object',
      properties: {
        title: text('The headline.'),
        body: text('The message.'),
        data: { type: 'object', description: 'Data for the app.' },
      },
      required: ['title', 'body'],
      additionalProperties: false,
    },
    timeoutMs: 10 * SECOND_MS,
    asksFirst: true,
    permissions: ['tool:notifications'],
  },
};
