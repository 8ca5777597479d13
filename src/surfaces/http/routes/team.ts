/** How this machine takes part in the catalog of a team: what it publishes, and what it has joined. */
import { z } from 'zod';
import type { TeamState } from '../../../contract/team.ts';
import { defineRoute, type Route } from '../route.ts';

const memberSchema = z.object({
  org: z.string(),
  url: z.string(),
  fingerprint: z.string(),
  /** The name of the source that syncs it: `POST /v1/sources/:name/refresh`. */
  source: z.string(),
  isExpired: z.boolean(),
  /** Absent while there is no verified bundle: then no call is allowed. */
  serial: z.number().optional(),
  issuedAt: z.number().optional(),
  expiresAt: z.number().optional(),
  syncedAt: z.number().optional(),
  fault: z.string().optional(),
  entries: z.array(z.object({ kind: z.string(), name: z.string() })),
});

/** Leaves out the content of the entries: tools and rules in force are listed by other routes. */
const memberOf = (state: TeamState): z.input<typeof memberSchema> => {
  const { org, url, fingerprint, isExpired, bundle, syncedAt, fault } = state;
  return {
    org,
    url,
    fingerprint,
    isExpired,
    source: `team:${org}`,
    ...(bundle && { serial: bundle.serial, issuedAt: bundle.issuedAt }),
    ...(bundle?.expiresAt !== undefined && { expiresAt: bundle.expiresAt }),
    ...(syncedAt !== undefined && { syncedAt }),
    ...(fault !== undefined && { fault }),
    entries: (bundle?.entries ?? []).map(({ kind, name }) => ({ kind, name })),
  };
};

const membership = defineRoute({
  method: 'get',
  path: '/v1/team',
  role: 'viewer',
  tag: 'catalog',
  summary: 'The catalog that this server publishes, in short, and the team that it is a member of',
  response: z.object({
    /** Absent where this server publishes no catalog. */
    catalog: z
      .object({ org: z.string(), serial: z.number(), open: z.number(), approved: z.number() })
      .optional(),
    /** Absent where this machine is in no team. */
    member: memberSchema.optional(),
  }),
  handle: async ({ services: { deps } }) => {
    const state = deps.team?.();
    const overview = await deps.catalog?.overview();
    return {
      body: {
        ...(overview && {
          catalog: {
            org: overview.org,
            serial: overview.serial,
            open: overview.open,
            approved: overview.approved,
          },
        }),
        ...(state && { member: memberOf(state) }),
      },
    };
  },
});

export const TEAM_ROUTES: readonly Route[] = [membership];
