/** The catalog: listing, searching, showing and switching tools. */
import { z } from 'zod';
import type { CatalogEntry, ToolFilter } from '../../../contract/catalog.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { CATEGORIES, SOURCES } from '../../../contract/tool.ts';
import { pageOf } from '../../door/page-of.ts';
import { defineRoute, type Route } from '../route.ts';
import { flagSchema, listOf, nameParams, pageQuery, timeSchema } from '../schemas/lists.ts';
import {
  lockEntrySchema,
  tierSchema,
  toolDetailSchema,
  toolMetadataSchema,
  toolSummarySchema,
} from '../schemas/tool.ts';
import { entryOf, toolDetail, toolSummary } from '../tool-view.ts';

const text = z.string().max(1000);

const listQuery = z.strictObject({
  source: z.enum(SOURCES).optional(),
  category: z.enum(CATEGORIES).optional(),
  tier: tierSchema.optional(),
  tag: z.string().max(100).optional(),
  enabled: flagSchema.optional(),
  q: text.optional(),
  ...pageQuery,
});

const filterOf = (query: z.output<typeof listQuery>): ToolFilter => ({
  ...(query.source && { source: [query.source] }),
  ...(query.category && { category: [query.category] }),
  ...(query.tier && { tier: [query.tier] }),
  ...(query.tag !== undefined && { tags: [query.tag] }),
  ...(query.enabled !== undefined && { enabled: query.enabled }),
});

/** Matches words here, because the catalog's search leaves out tools in quarantine. */
const holds = ({ tool }: CatalogEntry, words: readonly string[]): boolean => {
  const haystack = `${tool.name} ${tool.description} ${(tool.tags ?? []).join(' ')}`.toLowerCase();
  return words.every((word) => haystack.includes(word));
};

const list = defineRoute({
  method: 'get',
  path: '/v1/tools',
  role: 'member',
  tag: 'tools',
  summary: 'The tools, by name',
  input: { query: listQuery },
  response: listOf(toolSummarySchema),
  etag: true,
  handle: ({ services, query }) => {
    const words = (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const entries = services.crib.tools
      .list(filterOf(query))
      .filter((entry) => holds(entry, words));
    const page = pageOf(entries, { keyOf: ({ tool }) => tool.name }, query);
    return { body: { ...page, items: page.items.map((entry) => toolSummary(entry, services)) } };
  },
});

const search = defineRoute({
  method: 'get',
  path: '/v1/tools/search',
  role: 'member',
  tag: 'tools',
  summary: 'Tools that fit some words, the best first',
  input: { query: z.strictObject({ q: text.min(1), limit: pageQuery.limit }) },
  response: listOf(z.object({ tool: toolSummarySchema, score: z.number() })),
  handle: ({ services, query: { q, limit } }) => {
    const hits = services.crib.tools.search({ text: q, limit });
    return {
      body: {
        items: hits.map(({ entry, score }) => ({ tool: toolSummary(entry, services), score })),
      },
    };
  },
});

const look = defineRoute({
  method: 'get',
  path: '/v1/tools/:name',
  role: 'member',
  tag: 'tools',
  summary: 'One tool, with its schemas',
  input: { params: nameParams },
  response: toolDetailSchema,
  etag: true,
  handle: async ({ services, params }) => ({ body: await toolDetail(params.name, services) }),
});

const metadata = defineRoute({
  method: 'get',
  path: '/v1/tools/:name/metadata',
  role: 'viewer',
  tag: 'tools',
  summary: 'How a tool has done, how often it was called, and when it was accepted',
  input: {
    params: nameParams,
    query: z.strictObject({ from: timeSchema.optional(), to: timeSchema.optional() }),
  },
  response: toolMetadataSchema,
  handle: async ({ services, params, query: { from, to } }) => {
    const { name } = entryOf(params.name, services).tool;
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    return { body: await services.crib.tools.metadata(name, range) };
  },
});

const change = defineRoute({
  method: 'patch',
  path: '/v1/tools/:name',
  role: 'operator',
  tag: 'tools',
  summary: 'Switch a tool on or off, or choose its active version',
  input: {
    params: nameParams,
    body: z.strictObject({
      enabled: z.boolean().optional(),
      activeVersion: z.string().min(1).max(100).optional(),
    }),
  },
  response: toolDetailSchema,
  handle: async ({ services, params, body: { enabled, activeVersion } }) => {
    const { tools } = services.crib;
    const { name } = entryOf(params.name, services).tool;
    if (activeVersion !== undefined) {
      if (!tools.versions(name).some(({ version }) => version === activeVersion)) {
        throw new ToolFailure('NOT_FOUND', 'The tool has no such version.');
      }
      tools.setActive(name, activeVersion);
    }
    if (enabled !== undefined) tools.setEnabled(name, enabled);
    return { body: await toolDetail(name, services) };
  },
});

const accept = defineRoute({
  method: 'post',
  path: '/v1/tools/:name/accept',
  role: 'operator',
  tag: 'tools',
  summary: 'Let a tool out of quarantine',
  input: {
    params: nameParams,
    body: z.strictObject({ fingerprint: z.string().max(200).optional() }).optional(),
  },
  response: lockEntrySchema,
  handle: async ({ services, params, body, identity }) => {
    const { name } = entryOf(params.name, services).tool;
    const fingerprint = body?.fingerprint;
    const target = fingerprint === undefined ? name : { tool: name, fingerprint };
    const [entry] = await services.crib.tools.lock.accept([target], identity.userId);
    if (!entry) throw new ToolFailure('CONFLICT', 'The tool is accepted already.');
    const { definition: _, ...shown } = entry;
    return { body: shown };
  },
});

export const TOOL_ROUTES: readonly Route[] = [list, search, look, metadata, change, accept];
