/** How the server is set up, and what this machine can give. */
import { z } from 'zod';
import { defineRoute, type Route } from '../route.ts';

const settings = defineRoute({
  method: 'get',
  path: '/v1/settings',
  role: 'admin',
  tag: 'settings',
  summary: 'The configuration in force, without secrets, and what the doctor says',
  response: z.object({
    config: z.array(
      z.object({
        path: z.string(),
        value: z.unknown(),
        default: z.unknown(),
        source: z.string(),
        description: z.string(),
      }),
    ),
    sandboxes: z.array(z.looseObject({ type: z.string(), ready: z.boolean() })),
    doctor: z.array(
      z.object({
        name: z.string(),
        ok: z.boolean(),
        detail: z.string().optional(),
        fix: z.string().optional(),
      }),
    ),
    version: z.string(),
    store: z.string(),
  }),
  handle: async ({ services: { crib, deps } }) => {
    const [view, sandboxes, { label }] = await Promise.all([
      deps.settings?.() ?? { config: [], doctor: [] },
      crib.health.sandboxes(),
      crib.store(),
    ]);
    const { config, doctor } = view;
    return { body: { config, sandboxes, doctor, version: deps.version, store: label } };
  },
});

export const SETTINGS_ROUTES: readonly Route[] = [settings];
