/** Alerts: their states, what fired, silences and tests. They are defined in the configuration only. */
import { z } from 'zod';
import {
  ALERT_SEVERITIES,
  type AlertAction,
  type AlertStatus,
  NOTIFICATION_TYPES,
} from '../../../../contract/alerts.ts';
import { ToolFailure } from '../../../../contract/errors.ts';
import { shownAlert } from '../../../../contract/shown-alert.ts';
import type { Identity } from '../../auth/identity.ts';
import { notFound } from '../../error-reply.ts';
import type { HttpServices } from '../../http-services.ts';
import { defineRoute, type Route } from '../../route.ts';
import { idParams, nameSchema } from '../../schemas/lists.ts';

const severity = z.enum(ALERT_SEVERITIES);
const values = z.record(z.string(), z.unknown());

const silenceSchema = z.object({
  until: z.number(),
  by: z.string(),
  at: z.number(),
  note: z.string().optional(),
});

const alertSchema = z.object({
  id: z.string(),
  definition: z.looseObject({ when: z.string() }),
  origin: z.enum(['config', 'program']),
  state: z.enum(['ok', 'pending', 'firing', 'unknown']),
  subjects: z.array(
    z.object({
      subject: z.string(),
      state: z.enum(['pending', 'firing']),
      since: z.number(),
      firedAt: z.number().optional(),
    }),
  ),
  silence: silenceSchema.optional(),
  evaluatedAt: z.number().optional(),
  lastFiredAt: z.number().optional(),
  problem: z.string().optional(),
});

const deliverySchema = z.object({
  action: z.enum(['log', 'webhook', 'tool', 'job']),
  state: z.enum(['waiting', 'done', 'failed']),
  attempts: z.number(),
  problem: z.string().optional(),
});

const eventSchema = z.object({
  id: z.string(),
  type: z.enum(NOTIFICATION_TYPES),
  alert: z.string(),
  subject: z.string(),
  severity,
  summary: z.string(),
  condition: z.string(),
  at: z.number(),
  since: z.number(),
  values,
  silenced: z.boolean(),
  deliveries: z.array(deliverySchema),
});

/** Leaves out the input: viewers see which tool is called, and its input in the redacted row of each call. */
const withoutInput = (action: AlertAction): AlertAction => {
  if (action.type === 'tool') {
    const { input: _, ...rest } = action;
    return rest;
  }
  if (action.type !== 'job') return action;
  const { payload: _, ...rest } = action;
  return rest;
};

const shown = ({ definition, ...status }: AlertStatus): AlertStatus => {
  const { actions, ...rest } = shownAlert(definition);
  return {
    ...status,
    definition: { ...rest, ...(actions && { actions: actions.map(withoutInput) }) },
  };
};

/**
 * Refuses a token that is limited to single tools or amounts: an alert must not call for it what it
 * cannot call.
 */
const assertMayCall = ({ definition }: AlertStatus, { policy = {} }: Identity): void => {
  const calls = definition.actions?.some(({ type }) => type === 'tool' || type === 'job') ?? false;
  if (!calls || Object.keys(policy).length === 0) return;
  throw new ToolFailure('PERMISSION_DENIED', 'A limited token cannot have an alert call tools.', {
    suggestions: ['Evaluate it without its actions: {"deliver":false}.'],
  });
};

const find = async (id: string, { crib }: HttpServices): Promise<AlertStatus> => {
  const status = (await crib.alerts.list()).find((alert) => alert.id === id);
  if (status) return status;
  throw notFound('The alert');
};

const list = defineRoute({
  method: 'get',
  path: '/v1/alerts',
  role: 'viewer',
  tag: 'alerts',
  summary: 'The alerts and how they are, those that fire first',
  response: z.object({ items: z.array(alertSchema) }),
  handle: async ({ services: { crib } }) => ({
    body: { items: (await crib.alerts.list()).map(shown) },
  }),
});

const history = defineRoute({
  method: 'get',
  path: '/v1/alerts/history',
  role: 'viewer',
  tag: 'alerts',
  summary: 'What fired and resolved, newest first, of all alerts or of one',
  input: {
    query: z.strictObject({
      alert: nameSchema.optional(),
      limit: z.coerce.number().int().min(1).max(1000).optional(),
    }),
  },
  response: z.object({ items: z.array(eventSchema) }),
  handle: async ({ services, query: { alert, limit } }) => {
    if (alert !== undefined) await find(alert, services);
    const filter = { ...(alert !== undefined && { alert }), ...(limit !== undefined && { limit }) };
    return { body: { items: await services.crib.alerts.history(filter) } };
  },
});

const look = defineRoute({
  method: 'get',
  path: '/v1/alerts/:id',
  role: 'viewer',
  tag: 'alerts',
  summary: 'One alert with its condition, actions and subjects',
  input: { params: idParams },
  response: alertSchema,
  handle: async ({ services, params }) => ({ body: shown(await find(params.id, services)) }),
});

const silence = defineRoute({
  method: 'post',
  path: '/v1/alerts/:id/silence',
  role: 'operator',
  tag: 'alerts',
  summary: 'Keep an alert from telling anything, until a time or for a while',
  input: {
    params: idParams,
    body: z.strictObject({
      until: z.number().int().positive().optional(),
      forMs: z.number().int().positive().optional(),
      note: z.string().max(500).optional(),
    }),
  },
  response: silenceSchema,
  handle: async ({ services, params, body, identity }) => {
    await find(params.id, services);
    const { until, forMs, note } = body;
    const options = {
      by: identity.userId,
      ...(until !== undefined && { until }),
      ...(forMs !== undefined && { forMs }),
      ...(note !== undefined && { note }),
    };
    return { body: await services.crib.alerts.silence(params.id, options) };
  },
});

const unsilence = defineRoute({
  method: 'delete',
  path: '/v1/alerts/:id/silence',
  role: 'operator',
  tag: 'alerts',
  summary: 'End the silence of an alert',
  input: { params: idParams },
  response: z.object({ ended: z.boolean() }),
  handle: async ({ services, params, identity }) => {
    await find(params.id, services);
    const ended = await services.crib.alerts.unsilence(params.id, { by: identity.userId });
    return { body: { ended } };
  },
});

const test = defineRoute({
  method: 'post',
  path: '/v1/alerts/:id/test',
  role: 'operator',
  tag: 'alerts',
  summary: 'Evaluate an alert now and, unless told otherwise, send a test by its actions',
  input: { params: idParams, body: z.strictObject({ deliver: z.boolean().optional() }) },
  response: z.object({
    id: z.string(),
    findings: z.array(z.object({ subject: z.string(), holds: z.boolean(), values })),
    problem: z.string().optional(),
    deliveries: z.array(deliverySchema),
  }),
  handle: async ({ services, params, body: { deliver = true }, identity }) => {
    const alert = await find(params.id, services);
    if (deliver) assertMayCall(alert, identity);
    const by = identity.userId;
    return { body: await services.crib.alerts.test(params.id, { deliver, by }) };
  },
});

export const ALERT_ROUTES: readonly Route[] = [list, history, look, silence, unsilence, test];
