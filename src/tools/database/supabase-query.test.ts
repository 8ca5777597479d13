/** supabase_query through a whole crib, against a server that checks PostgREST's protocol. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import { openPostgrest, SUPABASE_KEY } from '../../../test/fixtures/vendors/postgrest-server.ts';
import {
  exampleAt,
  runThrough,
  trailOf,
  vendorCrib,
} from '../../../test/fixtures/vendors/vendor-crib.ts';
import { TOO_MANY, type VendorSite } from '../../../test/fixtures/vendors/vendor-site.ts';
import { defineSupabaseQuery } from './supabase-query.ts';

const supabaseQuery = defineSupabaseQuery();

const NAME = 'supabase_query';
let site: VendorSite;
let crib: TestCrib;
const cribWith = (key?: string, more: object = {}) =>
  vendorCrib(defineSupabaseQuery({ baseUrl: site.url }), {
    ...(key !== undefined && { keys: { SUPABASE_KEY: key } }),
    ...more,
  });

beforeEach(async () => {
  site = await openPostgrest();
  crib = await cribWith(SUPABASE_KEY);
});
afterEach(async () => {
  await crib.close();
  await site.close();
});

let sessions = 0;
/** Rows are private and may hold anybody's words, so that a session with them is asked about each way out. */
const ask = (input: object) =>
  crib.execute(NAME, { table: 'items', ...input }, { sessionId: `s${++sessions}` });

describe(NAME, () => {
  it.each(titlesOf(supabaseQuery))('example: %s', async (title) => {
    const { input, output } = exampleAt(supabaseQuery, title, ['', '']);
    expect((await crib.execute(NAME, input)).data).toMatchObject(output as object);
  });

  it('selects a page and tells the total', async () => {
    const { data } = await ask({
      limit: 1,
      offset: 1,
      order: [{ column: 'name', descending: true }],
    });
    expect(data).toEqual({ rows: [{ name: 'nail', price: 0.1 }], rowCount: 1, total: 2 });
    expect(site.arrived[0]?.query.get('order')).toBe('name.desc');
  });

  it('writes lists so that no value ends them', async () => {
    const value = ['a,b', 'c")', 'lamp', 1, null];
    const { data } = await ask({ filters: [{ column: 'name', operator: 'in', value }] });
    expect(site.arrived[0]?.query.get('name')).toBe('in.("a,b","c\\")","lamp",1,null)');
    expect(data).toMatchObject({ rowCount: 1 });
    await ask({ filters: [{ column: 'tags', operator: 'cs', value: ['x'] }] });
    expect(site.arrived[1]?.query.get('tags')).toBe('cs.{"x"}');
  });

  it('updates, deletes, upserts and calls functions', async () => {
    const filters = [{ column: 'name', value: 'nail' }];
    const updated = await ask({ operation: 'update', filters, values: { price: 1 } });
    expect(updated.data).toMatchObject({ rows: [{ name: 'nail', price: 1 }] });
    expect((await ask({ operation: 'delete', filters })).data).toMatchObject({ rowCount: 1 });
    const upserted = await ask({ operation: 'upsert', values: [{ name: 'lamp', price: 2 }] });
    expect(upserted.data).toMatchObject({ rowCount: 1 });
    expect(site.arrived.at(-1)?.headers.prefer).toContain('resolution=merge-duplicates');
    const sum = await ask({ operation: 'rpc', table: 'add', values: { a: 1, b: 2 } });
    expect(sum.data).toEqual({ rows: [3], rowCount: 1 });
    const none = await ask({ operation: 'rpc', table: 'nothing', values: {} });
    expect(none.data).toEqual({ rows: [], rowCount: 0 });
  });

  it('maps the errors of PostgREST', async () => {
    const twice = await ask({ operation: 'insert', values: { name: 'lamp' } });
    expect([twice.error?.code, twice.error?.message]).toEqual([
      'CONFLICT',
      expect.stringContaining('duplicate key'),
    ]);
    expect((await ask({ table: 'gone' })).error?.code).toBe('NOT_FOUND');
  });

  it('waits for Retry-After; a read is tried again, a write after trouble is not', async () => {
    site.trouble.push(TOO_MANY);
    const read = await runThrough(crib, [NAME, { table: 'items' }]);
    expect([read.success, read.waitedMs >= 7000]).toEqual([true, true]);
    site.trouble.push({ status: 503 });
    const insert = { table: 'items', operation: 'insert', values: { name: 'x' } };
    const write = await runThrough(crib, [NAME, insert, { sessionId: 'other' }]);
    expect([write.error?.code, site.arrived.length]).toEqual(['SERVER_ERROR', 3]);
  });

  it.each([
    ['table', { table: '../auth/v1/admin' }],
    ['table', { table: 'items?select=*' }],
    ['columns', { columns: ['a,b'] }],
    ['filters', { filters: [{ column: 'or', operator: 'or', value: 1 }] }],
    ['values', { operation: 'insert' }],
    ['values', { operation: 'update', filters: [{ column: 'a', value: 1 }], values: [{ a: 1 }] }],
    ['filters', { operation: 'delete' }],
    ['filters', { operation: 'update', values: { a: 1 } }],
  ])('refuses a bad %s before anything is sent: %j', async (field, input) => {
    const { error } = await ask(input);
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(error?.issues?.[0]?.path[0]).toBe(field);
    expect(site.arrived).toEqual([]);
  });
});

describe('threat: the key of a project', () => {
  it('without a key nothing is sent; a refused one appears nowhere', async () => {
    const poor = await cribWith();
    const { error } = await poor.execute(NAME, { table: 'items' });
    expect(error?.code).toBe('AUTH_MISSING');
    expect(error?.suggestions.join()).toContain('settings/api');
    const wrong = await cribWith('wrong-key-0123456789');
    const refused = await wrong.execute(NAME, { table: 'items' });
    expect(refused.error?.code).toBe('AUTH_MISSING');
    expect(JSON.stringify(refused) + (await trailOf(wrong))).not.toContain('wrong-key-0123456789');
    for (const each of [poor, wrong]) await each.close();
  });

  it('reading needs no approval, everything else does', async () => {
    const strict = await cribWith(SUPABASE_KEY, { policy: { version: 1, rules: [] } });
    expect((await strict.execute(NAME, { table: 'items' })).status).toBe('success');
    for (const input of [
      { operation: 'insert', values: { a: 1 } },
      { operation: 'delete', filters: [{ column: 'a', value: 1 }] },
      { operation: 'rpc', values: {} },
    ]) {
      const as = { sessionId: input.operation };
      const { status } = await strict.execute(NAME, { table: 'items', ...input }, as);
      expect([input.operation, status]).toEqual([input.operation, 'pending']);
    }
    await strict.close();
  });

  it('hostile: what rows say cannot make the session carry them out unasked', async () => {
    const as = { sessionId: 'one' };
    expect((await crib.execute(NAME, { table: 'items' }, as)).status).toBe('success');
    expect((await crib.execute(NAME, { table: 'items', limit: 1 }, as)).status).toBe('pending');
  });

  it.each([
    ['hostile: a project elsewhere', 'https://evil.example', 'PERMISSION_DENIED'],
    ['hostile: a name that only ends alike', 'https://evilsupabase.co', 'PERMISSION_DENIED'],
    ['no address at all', 'nowhere', 'CONFIG_INVALID'],
  ])('%s is not reached', async (_what, url, code) => {
    const keys = { SUPABASE_KEY, SUPABASE_URL: url };
    const own = await vendorCrib(supabaseQuery, { keys });
    expect((await own.execute(NAME, { table: 'items' })).error?.code).toBe(code);
    await own.close();
  });
});
