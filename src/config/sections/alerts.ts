/** `observation.alerts`: alerts by name. Only the user sets them: they send data out and call tools. */
import { z } from 'zod';
import { ALERT_SEVERITIES } from '../../contract/alerts.ts';
import { DAY_MS, MINUTE_MS, spanMs } from '../../kit/data/durations.ts';
import {
  ALSO_WHEN_FAULTY,
  address,
  milliseconds,
  nonEmptyText,
  toolName,
  WHOLE,
} from './fields.ts';
import { described, optionalSetting, setting } from './setting.ts';

export const ALERT_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

const MAX_CONDITION = 4000;
const MAX_NAME = 256;
const MAX_ACTIONS = 10;
const MAX_WEBHOOK_MS = 60_000;
const MAX_SPAN_MS = 366 * DAY_MS;
const SECRET = `\${secret:KEY}`;

const span = (minMs: number) =>
  z.string().refine(
    (text) => {
      const ms = spanMs(text);
      return ms !== undefined && ms >= minMs && ms <= MAX_SPAN_MS;
    },
    {
      error: `expected a span of time such as 30s, 5m, 2h or 7d${minMs > 0 ? ', of a minute at least' : ''}`,
    },
  );

const caller = described(
  z.strictObject({
    user: described(nonEmptyText.max(MAX_NAME), {
      about: 'The user; limits and budgets go by it.',
    }),
    roles: optionalSetting(z.array(nonEmptyText.max(MAX_NAME)).max(20), {
      about: 'Its roles; none when absent.',
    }),
    permissions: optionalSetting(z.array(nonEmptyText.max(MAX_NAME)).max(100), {
      about: 'Its permissions, e.g. tool:web_search; none when absent.',
    }),
  }),
  { about: 'As whom it is done. It has these rights and no others.' },
);

const WHOLE_SECRET = /^\$\{secret:[A-Za-z0-9_.:-]+\}$/;

const webhookUrl = z
  .string()
  .max(2000)
  .refine((text) => WHOLE_SECRET.test(text) || address(['http', 'https']).safeParse(text).success, {
    error: 'expected an http:// or https:// address, or a secret that holds the whole of it',
  });

const log = z.strictObject({ type: z.literal('log') });

const webhook = z.strictObject({
  type: z.literal('webhook'),
  url: described(webhookUrl, {
    about: `Where the notification is posted as JSON; ${SECRET} stands for a secret that holds the whole address.`,
  }),
  secret: optionalSetting(nonEmptyText.max(200), {
    about: 'The key of the secret that signs the body; see toolcrib secrets set.',
  }),
  timeoutMs: optionalSetting(milliseconds.max(MAX_WEBHOOK_MS), {
    about: 'Milliseconds that an attempt may take; 10,000 when absent.',
  }),
});

const tool = z.strictObject({
  type: z.literal('tool'),
  tool: described(toolName, { about: 'The tool that is called.' }),
  input: optionalSetting(z.unknown(), {
    about: 'Its input. { from: input.summary } and { cel: … } use the notification.',
  }),
  as: caller,
});

const job = z.strictObject({
  type: z.literal('job'),
  job: described(nonEmptyText.max(MAX_NAME), { about: 'The type of the job that is added.' }),
  payload: optionalSetting(z.unknown(), {
    about: 'Its payload. { from: input.summary } and { cel: … } use the notification.',
  }),
  as: caller,
});

const SUBJECTS = ['tool', 'source', 'caller', 'each'] as const;

const name = nonEmptyText.max(MAX_NAME);

/** One alert, as the configuration has it and as `crib.alerts.set` takes it. */
export const alertSchema = z
  .strictObject({
    when: described(nonEmptyText.max(MAX_CONDITION), {
      about: 'The condition, in CEL, e.g. calls >= 20 && errorRate > 0.2.',
      project: 'user',
    }),
    tool: optionalSetting(name, { about: 'Figures of this tool only.', project: 'user' }),
    source: optionalSetting(name, {
      about: 'Figures of this source only, e.g. mcp:github.',
      project: 'user',
    }),
    caller: optionalSetting(name, { about: 'Figures of this user only.', project: 'user' }),
    each: optionalSetting(z.enum(['tool', 'source', 'caller', 'server']), {
      about: 'Evaluate the condition for each of them by itself.',
      project: 'user',
    }),
    window: optionalSetting(span(MINUTE_MS), {
      about: 'The calls that the figures are of: those of the last 5m when absent.',
      project: 'user',
    }),
    for: optionalSetting(span(0), {
      about: 'How long the condition has to hold before it fires; not at all when absent.',
      project: 'user',
    }),
    coolDown: optionalSetting(span(0), {
      about: 'After it fired, it does not fire again for this long; 5m when absent.',
      project: 'user',
    }),
    severity: optionalSetting(z.enum(ALERT_SEVERITIES), {
      about: 'How bad it is; else warning.',
      project: 'user',
    }),
    summary: optionalSetting(nonEmptyText.max(500), {
      about: 'One sentence for people.',
      project: 'user',
    }),
    actions: optionalSetting(
      z
        .array(z.discriminatedUnion('type', [log, webhook, tool, job]))
        .min(1)
        .max(MAX_ACTIONS),
      {
        about: 'What is done when it fires and when it resolves; it is logged when absent.',
        project: 'user',
      },
    ),
  })
  .superRefine((alert, context) => {
    const given = SUBJECTS.filter((key) => alert[key] !== undefined);
    if (given.length < 2) return;
    const message = `only one of ${SUBJECTS.join(', ')} can be set`;
    context.addIssue({ code: 'custom', params: WHOLE, message, path: [given[1] ?? ''] });
  }, ALSO_WHEN_FAULTY);

export const alertsSetting = setting(
  z.record(
    z.string().regex(ALERT_ID, {
      error:
        'an alert name is 1 to 64 letters, digits, "_", "." or "-" and starts with a letter or digit',
    }),
    alertSchema.describe('One alert, by its name.'),
  ),
  {
    about: 'Alerts, by name: conditions over figures and states, and what is done when they hold.',
    project: 'user',
    default: {},
  },
);
