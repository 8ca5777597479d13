/** The level of the server's log, which an admin may change while the server runs. */
import { z } from 'zod';
import { LOG_LEVELS, type LogLevels } from '../../../../contract/log-level.ts';
import { DAY_MS } from '../../../../kit/data/durations.ts';
import { notFound } from '../../error-reply.ts';
import type { HttpServices } from '../../http-services.ts';
import { defineRoute, type Route } from '../../route.ts';

const levelSchema = z.enum(LOG_LEVELS);

const stateSchema = z.object({
  level: levelSchema,
  configured: levelSchema,
  until: z.number().optional(),
});

const levelsOf = ({ deps }: HttpServices): LogLevels => {
  if (deps.logLevels) return deps.logLevels;
  throw notFound('A log whose level can be changed');
};

const read = defineRoute({
  method: 'get',
  path: '/v1/log-level',
  role: 'viewer',
  tag: 'log',
  summary: 'The least severe level that the server logs',
  response: stateSchema,
  handle: ({ services }) => ({ body: levelsOf(services).state() }),
});

const change = defineRoute({
  method: 'put',
  path: '/v1/log-level',
  role: 'admin',
  tag: 'log',
  summary: 'Log from another level on, for a while or until the server ends',
  input: {
    body: z.strictObject({
      level: levelSchema,
      forMs: z.number().int().min(1000).max(DAY_MS).optional(),
    }),
  },
  response: stateSchema,
  handle: ({ services, identity, requestId, body: { level, forMs } }) => {
    const levels = levelsOf(services);
    const { log } = services.deps.runtime;
    const callerId = identity.userId;
    const line = { from: levels.state().level, to: level, forMs, callerId, requestId };
    // Written before the change, so that the log names who silenced it.
    if (level === 'silent') log.error('the log is switched off', line);
    const state = levels.set(level, forMs);
    log.info('the level of the log was changed', line);
    return { body: state };
  },
});

export const LOG_ROUTES: readonly Route[] = [read, change];
