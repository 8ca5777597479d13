/**
 * The catalog that this server publishes for a team: proposals, their review, and signed bundles. The
 * person is the identity behind the request, never a name in it.
 */
import { z } from 'zod';
import { ToolFailure } from '../../../contract/errors.ts';
import { PROPOSAL_STATES, type TeamCatalog } from '../../../contract/team.ts';
import { pageOf, timeKey } from '../../door/page-of.ts';
import { type Identity, provenNamesOf } from '../auth/identity.ts';
import type { HttpServices } from '../http-services.ts';
import { defineRoute, type Route } from '../route.ts';
import { idParams, listOf, pageQuery } from '../schemas/lists.ts';

const TAG = 'catalog';
const note = z.string().max(1000).optional();
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'The digest of the proposal.');

const entrySchema = z.looseObject({ kind: z.string(), name: z.string() });

const proposalSchema = z.object({
  id: z.string(),
  change: z.looseObject({ action: z.enum(['put', 'remove']) }),
  digest: z.string(),
  state: z.enum(PROPOSAL_STATES),
  proposedBy: z.string(),
  proposedAt: z.number(),
  note: z.string().optional(),
  decidedBy: z.string().optional(),
  decidedAt: z.number().optional(),
  decisionNote: z.string().optional(),
  serial: z.number().optional(),
});

const bundleSchema = z.object({
  serial: z.number(),
  digest: z.string(),
  previous: z.string(),
  entries: z.number(),
  publishedBy: z.string(),
  publishedAt: z.number(),
  expiresAt: z.number().optional(),
  note: z.string().optional(),
  proposals: z.array(z.string()),
  restored: z.number().optional(),
});

const catalogOf = ({ deps }: HttpServices): TeamCatalog => {
  if (deps.catalog) return deps.catalog;
  throw new ToolFailure('NOT_FOUND', 'This server publishes no catalog.', {
    suggestions: ['Name the organisation in its configuration: server.catalog.org.'],
  });
};

/**
 * Refuses a token that is limited to single tools or amounts: it was not made to decide for a team.
 */
const assertWhole = ({ policy }: Identity): void => {
  if (policy === undefined || Object.keys(policy).length === 0) return;
  throw new ToolFailure('PERMISSION_DENIED', 'A limited token cannot decide about the catalog.');
};

const key = defineRoute({
  method: 'get',
  path: '/v1/catalog/key',
  role: 'member',
  tag: TAG,
  summary: 'The key that signs bundles, for the enrolment of a client',
  response: z.object({ org: z.string(), publicKey: z.string(), fingerprint: z.string() }),
  handle: async ({ services }) => ({ body: await catalogOf(services).key() }),
});

const overview = defineRoute({
  method: 'get',
  path: '/v1/catalog',
  role: 'member',
  tag: TAG,
  summary: 'The entries in force, and how many proposals wait',
  response: z.object({
    org: z.string(),
    publicKey: z.string(),
    fingerprint: z.string(),
    serial: z.number(),
    entries: z.array(entrySchema),
    open: z.number(),
    approved: z.number(),
  }),
  handle: async ({ services }) => ({ body: await catalogOf(services).overview() }),
});

const bundle = defineRoute({
  method: 'get',
  path: '/v1/catalog/bundle',
  role: 'member',
  tag: TAG,
  summary: 'The signed bundle in force',
  etag: true,
  response: z.object({
    bundle: z.string(),
    publicKey: z.string(),
    signature: z.string(),
    handovers: z.array(
      z.object({ from: z.string(), to: z.string(), at: z.number(), signature: z.string() }),
    ),
  }),
  handle: async ({ services }) => {
    const signed = await catalogOf(services).bundle();
    if (signed) return { body: signed };
    throw new ToolFailure('NOT_FOUND', 'Nothing was published yet.');
  },
});

const proposals = defineRoute({
  method: 'get',
  path: '/v1/catalog/proposals',
  role: 'member',
  tag: TAG,
  summary: 'Proposals, newest first',
  input: { query: z.strictObject({ ...pageQuery, state: z.enum(PROPOSAL_STATES).optional() }) },
  response: listOf(proposalSchema),
  handle: async ({ services, query }) => ({
    body: pageOf(
      await catalogOf(services).proposals(query.state),
      { keyOf: ({ proposedAt, id }) => timeKey(proposedAt, id), newestFirst: true },
      query,
    ),
  }),
});

const review = defineRoute({
  method: 'get',
  path: '/v1/catalog/proposals/:id',
  role: 'member',
  tag: TAG,
  summary: 'One proposal, with its difference to what is published',
  input: { params: idParams },
  response: proposalSchema.extend({ diff: z.string() }),
  handle: async ({ services, params }) => ({ body: await catalogOf(services).review(params.id) }),
});

const propose = defineRoute({
  method: 'post',
  path: '/v1/catalog/proposals',
  role: 'agent',
  tag: TAG,
  summary: 'Propose an entry, or the removal of one',
  input: { body: z.strictObject({ change: z.record(z.string(), z.unknown()), note }) },
  response: proposalSchema,
  status: 201,
  handle: async ({ services, identity, body }) => ({
    status: 201,
    body: await catalogOf(services).propose(body.change, body.note, provenNamesOf(identity)),
  }),
});

const decision = (verb: 'approve' | 'reject', summary: string): Route =>
  defineRoute({
    method: 'post',
    path: `/v1/catalog/proposals/:id/${verb}`,
    role: 'operator',
    tag: TAG,
    summary,
    input: { params: idParams, body: z.strictObject({ digest, note }) },
    response: proposalSchema,
    handle: async ({ services, identity, params, body }) => {
      assertWhole(identity);
      const decided = { ...body, approve: verb === 'approve' };
      return {
        body: await catalogOf(services).decide(params.id, decided, provenNamesOf(identity)),
      };
    },
  });

const publish = defineRoute({
  method: 'post',
  path: '/v1/catalog/publish',
  role: 'admin',
  tag: TAG,
  summary: 'Publish what is approved, or the same content again',
  input: { body: z.strictObject({ note, renew: z.boolean().optional() }) },
  response: bundleSchema,
  status: 201,
  handle: async ({ services, identity, body }) => {
    assertWhole(identity);
    return { status: 201, body: await catalogOf(services).publish(body, provenNamesOf(identity)) };
  },
});

const rollBack = defineRoute({
  method: 'post',
  path: '/v1/catalog/rollback',
  role: 'admin',
  tag: TAG,
  summary: 'Publish the content of an older bundle under a new serial',
  input: { body: z.strictObject({ serial: z.int().min(1), note }) },
  response: bundleSchema,
  status: 201,
  handle: async ({ services, identity, body: { serial, note: why } }) => {
    assertWhole(identity);
    const published = await catalogOf(services).rollBack(serial, why, provenNamesOf(identity));
    return { status: 201, body: published };
  },
});

const history = defineRoute({
  method: 'get',
  path: '/v1/catalog/history',
  role: 'member',
  tag: TAG,
  summary: 'The bundles that were published, newest first',
  input: { query: z.strictObject(pageQuery) },
  response: listOf(bundleSchema),
  handle: async ({ services, query }) => ({
    body: pageOf(
      await catalogOf(services).history(),
      { keyOf: ({ serial }) => timeKey(serial, ''), newestFirst: true },
      query,
    ),
  }),
});

export const CATALOG_ROUTES: readonly Route[] = [
  overview,
  key,
  bundle,
  proposals,
  review,
  propose,
  decision('approve', 'Approve a proposal of somebody else, exactly as it was looked at'),
  decision('reject', 'Reject a proposal that was not published yet'),
  publish,
  rollBack,
  history,
];
