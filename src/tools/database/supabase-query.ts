/** `supabase_query`: tables and functions of a Supabase project through PostgREST. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Capability, Tool, ToolExample } from '../../contract/tool.ts';
import { type BaseUrl, baseUrl } from '../base-url.ts';
import { authOf, textAt, type Vendor, vendorData, vendorFailure } from '../vendor-reply.ts';
import { OPERATORS, postgrestRequest, totalIn } from './postgrest.ts';

const SUPABASE: Vendor = {
  name: 'Supabase',
  secret: 'SUPABASE_KEY',
  setupUrl: 'https://app.supabase.com/project/_/settings/api',
  explain: (body) => textAt(body, 'message'),
};

const name = () => z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'A plain name.');
/** Describes a column, or a field of a JSON column: `data->>colour`. */
const column = () => z.string().regex(/^[A-Za-z_]\w{0,62}(?:->>?\w{1,62}){0,5}$/, 'A column.');
const plain = () => z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()]);
const row = () => z.record(name(), z.unknown());

const fields = () =>
  z.strictObject({
    operation: z
      .enum(['select', 'insert', 'upsert', 'update', 'delete', 'rpc'])
      .default('select')
      .describe('What to do. rpc calls a function of the database.'),
    table: name().describe('The table, or the function for rpc.'),
    columns: z.array(column()).max(100).default([]).describe('Which columns; all by default.'),
    filters: z
      .array(
        z.strictObject({
          column: column(),
          operator: z.enum(OPERATORS).default('eq'),
          value: z.union([plain(), z.array(plain()).min(1).max(500)]),
        }),
      )
      .max(50)
      .default([])
      .describe('Which rows. All filters must hold; in, cs and cd take a list.'),
    order: z
      .array(z.strictObject({ column: column(), descending: z.boolean().default(false) }))
      .max(10)
      .default([])
      .describe('How the rows are sorted.'),
    limit: z.int().min(1).max(10_000).default(100).describe('How many rows at most.'),
    offset: z.int().min(0).default(0).describe('How many rows to leave out first.'),
    values: z
      .union([row(), z.array(row()).min(1).max(1000)])
      .optional()
      .describe('The row or rows to write, or the arguments of the function.'),
  });

type Input = z.infer<ReturnType<typeof fields>>;

const faultOf = ({ operation, filters, values }: Input): [field: string, message: string][] => {
  const faults: [string, string][] = [];
  const writes = operation === 'insert' || operation === 'upsert' || operation === 'update';
  if (writes && values === undefined) faults.push(['values', `${operation} needs values.`]);
  if (operation === 'update' && Array.isArray(values)) faults.push(['values', 'One row only.']);
  const whole = operation === 'update' || operation === 'delete';
  if (whole && filters.length === 0) {
    faults.push(['filters', `${operation} needs a filter: it would hit every row.`]);
  }
  return faults;
};

const input = () =>
  fields().superRefine((request, context) => {
    for (const [field, message] of faultOf(request)) {
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

const output = () =>
  z.strictObject({
    rows: z.array(z.unknown()).describe('The rows read or written, or what the function returned.'),
    rowCount: z.int().describe('How many there are here.'),
    total: z.int().optional().describe('select: how many rows fit in all.'),
  });

type Output = z.infer<ReturnType<typeof output>>;

const read = (action: string, description: string): Capability => ({
  action,
  description,
  tier: 'read_only',
});
const write = (action: string, description: string, destructive = false): Capability => ({
  action,
  description,
  requiresConfirmation: true,
  destructive,
});

const CAPABILITIES: readonly Capability[] = [
  read('select', 'Read rows of a table.'),
  write('insert', 'Add rows to a table.'),
  write('upsert', 'Add rows or replace those that are there.', true),
  write('update', 'Change rows of a table.', true),
  write('delete', 'Delete rows of a table.', true),
  write('rpc', 'Call a function of the database.', true),
];

/**
 * Finds the project. The key is sent only to a project that a person configured, never to one that a
 * caller names.
 */
const projectOf = async (fixed: BaseUrl | undefined, context: ToolContext): Promise<string> => {
  if (fixed) return fixed.href;
  try {
    return baseUrl(await context.secret('SUPABASE_URL')).href;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ToolFailure('CONFIG_INVALID', 'SUPABASE_URL is no address of a project.', {
      suggestions: [`It is shown at ${SUPABASE.setupUrl}`],
    });
  }
};

const query = async (
  request: Input,
  context: ToolContext,
  fixed: BaseUrl | undefined,
): Promise<Output> => {
  const key = await context.secret(SUPABASE.secret);
  const postgrest = postgrestRequest(await projectOf(fixed, context), request);
  const response = await context.fetch(postgrest.url, {
    method: postgrest.method,
    redirect: 'error',
    headers: {
      apikey: key,
      authorization: `Bearer ${key}`,
      accept: 'application/json',
      ...(postgrest.prefer !== undefined && { prefer: postgrest.prefer }),
      ...(postgrest.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(postgrest.body !== undefined && { body: postgrest.body }),
  });
  if (!response.ok) throw await vendorFailure(response, SUPABASE);
  if (response.status === 204) return { rows: [], rowCount: 0 };
  const total = totalIn(response.headers.get('content-range'));
  const data = await vendorData(response, SUPABASE, z.unknown());
  const rows = Array.isArray(data) ? data : [data];
  return { rows, rowCount: rows.length, ...(total !== undefined && { total }) };
};

const examples: readonly ToolExample[] = [
  {
    title: 'Read some rows',
    input: {
      table: 'items',
      columns: ['name'],
      filters: [{ column: 'price', operator: 'gt', value: 5 }],
      order: [{ column: 'name' }],
    },
    output: { rows: [{ name: 'lamp' }], rowCount: 1, total: 1 },
  },
  {
    title: 'Add a row',
    input: { operation: 'insert', table: 'items', values: { name: 'rope', price: 3 } },
    output: { rows: [{ name: 'rope', price: 3 }] },
  },
];

/**
 * Defines the tool. `baseUrl` is the project; when absent, the secret SUPABASE_URL names one below
 * supabase.co.
 */
export const defineSupabaseQuery = (
  options: { readonly baseUrl?: string } = {},
): Tool<Input, Output> => {
  const fixed = options.baseUrl === undefined ? undefined : baseUrl(options.baseUrl);
  return defineTool({
    name: 'supabase_query',
    description:
      'Reads and writes tables of a Supabase project and calls its functions. Row level security holds as for the key.',
    documentation:
      'The project is the one of services.supabase.baseUrl in your configuration, or the one that the secret SUPABASE_URL names. update and delete need a filter.',
    source: 'builtin',
    category: 'database',
    tier: 'external_api',
    capabilities: CAPABILITIES,
    actionField: 'operation',
    auth: authOf(SUPABASE, 'api_key'),
    permissions: ['tool:supabase_query'],
    needs: { hosts: [fixed?.host ?? '*.supabase.co'], secrets: ['SUPABASE_URL'] },
    labels: { trust: 'untrusted', sensitivity: 'private' },
    cost: { model: 'subscription', billingUrl: 'https://supabase.com/dashboard/org/_/billing' },
    retry: RetryPolicies.STANDARD,
    rateLimit: { maxPerHour: 2000 },
    server: 'supabase',
    aliases: ['supabase:query'],
    tags: ['supabase', 'database', 'table', 'query', 'postgrest'],
    examples,
    input,
    output,
    run: (request, context) => query(request, context, fixed),
  });
};
