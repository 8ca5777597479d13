/** Queries and mutations of a real GraphQL service, called through a whole crib. */
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from '../../../test/architecture/code-blocks.ts';
import { openShop, SHOP_SCHEMA, type Shop } from '../../../test/fixtures/shop-service.ts';
import { ALLOW_ALL } from '../../../test/fixtures/vendors/vendor-crib.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { createCrib, createCribHost } from '../../crib/create-crib.ts';

const KEYS: Readonly<Record<string, string>> = { SHOP_TOKEN: 'open-sesame', OTHER: 'wrong-words' };

let shop: Shop;
let crib: CribHost;
let sessions = 0;
const opened: { close(): Promise<void> }[] = [];
const closeAll = async (): Promise<void> => {
  for (const each of opened.splice(0).reverse()) await each.close();
};

const openCrib = async (own: object): Promise<CribHost> => {
  const made = await createCribHost({
    builtins: false,
    store: 'memory',
    policy: ALLOW_ALL,
    home: await mkdtemp(join(tmpdir(), 'toolcrib-graphql-')),
    secrets: { get: async (key) => KEYS[key] },
    config: {
      registry: { lock: 'off' },
      sources: { graphql: { shop: { url: shop.url, ...own } } },
    },
  });
  opened.push(made);
  return made;
};

const openBoth = async (own: object = {}, token?: string): Promise<void> => {
  shop = await openShop(token === undefined ? {} : { token });
  opened.push(shop);
  crib = await openCrib(own);
};

/** Each call is of a session of its own: what one reads does not bind the next. */
const call = async (tool: string, input: object = {}) => {
  sessions += 1;
  return crib.execute(tool, input, { sessionId: `session-${sessions}` });
};
const failure = async (tool: string, input: object = {}) => {
  const result = await call(tool, input);
  return result.success ? result : { code: result.error.code, message: result.error.message };
};
const lastQuestion = () => shop.questions().at(-1);

describe('a GraphQL service as a source', () => {
  beforeAll(() => openBoth());
  afterAll(closeAll);

  it('offers its operations with tiers, and refuses subscriptions with a reason', async () => {
    const names = crib.tools.list().map(({ tool }) => `${tool.name} ${tool.tier}`);
    expect(names.sort()).toEqual([
      'addItem external_api',
      'count read_only',
      'echo read_only',
      'item read_only',
      'item_mutation external_api',
      'items read_only',
      'me read_only',
      'owner read_only',
      'search read_only',
    ]);
    const [status] = crib.sources.list();
    expect(status).toMatchObject({ state: 'ready', tools: 9 });
    expect(status?.refused).toEqual([
      { name: 'added', reason: expect.stringContaining('subscription') },
    ]);
  });

  it('sends values as variables of their type, never inside the document', async () => {
    const text = '") { count } #';
    expect(await call('echo', { text })).toMatchObject({ success: true, data: { data: text } });
    const { query, variables } = lastQuestion() ?? {};
    expect(query).toBe('query echo($text: String!, $day: Day) { echo(text: $text, day: $day) }');
    expect(variables).toEqual({ text });
  });

  it('returns a page with entries of several types, and leaves defaults to the service', async () => {
    const result = await call('items', { filter: { not: { size: 'LARGE' } } });
    expect(result).toMatchObject({
      success: true,
      data: {
        data: {
          pageInfo: { hasNextPage: false },
          totalCount: 2,
          edges: [{ node: { __typename: 'Book', id: '1', pages: 99 } }, { node: { watts: 7.5 } }],
        },
      },
    });
    expect(lastQuestion()?.variables).toEqual({ filter: { not: { size: 'LARGE' } } });
  });

  it('renames a field where two types of a union disagree about it', async () => {
    const result = await call('search', { text: 'x' });
    expect(result).toMatchObject({
      success: true,
      data: { data: [{ title: null }, { title_Lamp: 'Lamp' }, { name: 'x' }] },
    });
  });

  it('runs mutations with nested input, once, with an idempotency key', async () => {
    const result = await call('shop.addItem', { item: { label: 'new', size: 'LARGE' } });
    expect(result).toMatchObject({ success: true, data: { data: { label: 'new' } } });
    expect(shop.added).toEqual(['new:LARGE']);
    expect(shop.arrived.at(-1)?.headers['idempotency-key']).toBeTruthy();
    expect(await call('item_mutation', { id: '1' })).toMatchObject({ data: { data: true } });
  });

  it('checks input against the schema before anything is sent', async () => {
    const sent = shop.arrived.length;
    for (const [tool, input] of [
      ['addItem', { item: { size: 'LARGE' } }],
      ['addItem', { item: { label: 'x', size: 'HUGE' } }],
      ['addItem', { item: { label: 'x', old: 1 } }],
      ['items', { gone: 1 }],
      ['items', { first: 3_000_000_000 }],
      ['items', { filter: { not: { nope: 1 } } }],
      ['item', { by: {} }],
      ['item', { by: { id: '1', label: 'b' } }],
      ['echo', { text: 1 }],
    ] as const) {
      expect(await failure(tool, input), JSON.stringify(input)).toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
    expect(shop.arrived.length).toBe(sent);
    expect(await call('item', { by: { label: 'b' } })).toMatchObject({ success: true });
  });

  it.each([
    ['nobody', 'AUTH_MISSING'],
    ['closed', 'AUTH_MISSING'],
    ['odd', 'VALIDATION_ERROR'],
    ['broken', 'EXECUTION_FAILED'],
  ])('an answer with errors (%s) fails with %s', async (name, code) => {
    expect(await failure('owner', { name })).toMatchObject({ code });
  });

  it('keeps what could be answered, and warns about the rest', async () => {
    const result = await call('owner', { name: 'ada' });
    expect(result).toMatchObject({
      success: true,
      data: {
        data: { name: 'ada', secret: null, items: { totalCount: 2 } },
        errors: [{ message: 'not for you' }],
      },
    });
    expect(result.warnings?.join(' ')).toContain('a part only');
    expect(await call('owner', { name: 'none' })).toMatchObject({ data: { data: null } });
  });

  it('returns the fields that the caller chose, within the limits', async () => {
    const input = { name: 'ada', fields: '{ items(first: 1) { edges { node { label } } } }' };
    expect(await call('owner', input)).toMatchObject({
      success: true,
      data: { data: { items: { edges: [{ node: { label: 'book' } }] } } },
    });
    const named = { text: 'x', fields: 'mine', _fields: '__typename ... on Owner { name }' };
    expect(await call('search', named)).toMatchObject({ data: { data: [{}, {}, { name: 'x' }] } });
  });

  it.each([
    ['text after a closing brace', 'name } count { x', 'Syntax'],
    ['a second operation', 'name } mutation { item(id: 1)', 'fields only'],
    ['unknown fields', 'nope', 'Cannot query field'],
    ['renamed fields', 'other: name', 'renamed'],
    ['directives', 'name @include(if: true)', 'Directives'],
    ['named fragments', '...Bomb', 'Named fragments'],
    ['introspection', '__schema { types { name } }', 'schema cannot be asked'],
    ['variables', 'items(first: $first) { totalCount }', 'not defined'],
    ['deep fields', `${'boss { '.repeat(9)}name${' }'.repeat(9)}`, 'levels deep'],
    ['many fields', 'name '.repeat(200), 'fields at most'],
    ['many braces', '{'.repeat(3000), 'Syntax'],
  ])('refuses %s among the chosen fields', async (_what, fields, reason) => {
    const sent = shop.arrived.length;
    const refusal = await failure('owner', { name: 'ada', fields });
    expect(refusal).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(JSON.stringify(refusal)).toContain(reason);
    expect(shop.arrived.length).toBe(sent);
  });

  it.each<[string, object, string]>([
    ['a page of HTML', { body: '<html>hello</html>' }, 'EXECUTION_FAILED'],
    ['another status', { status: 403, body: 'no' }, 'AUTH_MISSING'],
    [
      'something too large',
      { body: `{"data":{"count":"${'x'.repeat(6_000_000)}"}}` },
      'OUTPUT_TOO_LARGE',
    ],
    ['another type', { body: { data: { count: 'many' } } }, 'OUTPUT_INVALID'],
    ['other fields', { body: { data: { other: 1 } } }, 'OUTPUT_INVALID'],
    ['errors that are none', { body: { errors: 'no' } }, 'EXECUTION_FAILED'],
    ['a list', { body: [1] }, 'EXECUTION_FAILED'],
  ])('%s as an answer is refused', async (_what, answer, code) => {
    shop.trouble.push(answer);
    expect(await failure('count')).toMatchObject({ code });
  });

  it('survives an answer that is nested 100,000 deep', async () => {
    const deep = `{"data":{"owner":${'{"boss":'.repeat(100_000)}1${'}'.repeat(100_000)}}}`;
    shop.trouble.push({ body: deep });
    expect(await call('owner', { name: 'ada' })).toMatchObject({ success: false });
    expect(await call('count')).toMatchObject({ success: true });
  });
});

describe('docs/sources/graphql.md', () => {
  afterAll(closeAll);

  it('shows a program that runs, with the address of a service that is there', async () => {
    await openBoth();
    const page = await readFile(
      new URL('../../../docs/sources/graphql.md', import.meta.url),
      'utf8',
    );
    const body = codeBlocks(page, 'js')
      .join('')
      .replace(/^import .*$/m, '')
      .replace('http://localhost:4000/graphql', shop.url)
      .replace(`{ store: 'memory'`, `{ store: 'memory', home`);
    const run = new Function(
      ...['createCrib', 'home'],
      `return (async () => {${body}; return data;})();`,
    ) as (...args: readonly unknown[]) => Promise<unknown>;
    const home = await mkdtemp(join(tmpdir(), 'toolcrib-graphql-'));
    const expected = { data: { name: 'ada', items: { totalCount: 1 } } };
    expect(await run(createCrib, home)).toEqual(expected);
  });
});

describe('the settings of a GraphQL source', () => {
  afterEach(closeAll);

  it('send a secret as bearer token and in headers, and tell when it is wrong', async () => {
    const reference = `\${secret:OTHER}`;
    await openBoth({ bearer: 'SHOP_TOKEN', headers: { 'x-shop': reference } }, 'open-sesame');
    expect(await call('count')).toMatchObject({ success: true });
    expect(shop.arrived.at(-1)?.headers['x-shop']).toBe('wrong-words');
    const refused = await openCrib({ bearer: 'OTHER' });
    expect(refused.sources.list()[0]).toMatchObject({ state: 'needs_login', tools: 0 });
    const missing = await openCrib({ bearer: 'NOT_SET' });
    expect(missing.sources.list()[0]).toMatchObject({ state: 'needs_login' });
  });

  it('read the schema from a file, leave operations out, and raise a tier', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'toolcrib-graphql-')), 'shop.graphql');
    await writeFile(file, SHOP_SCHEMA.replace('directive @oneOf on INPUT_OBJECT\n', ''));
    await openBoth({
      schema: file,
      include: ['query.*', 'add*'],
      exclude: ['s*', 'query.me'],
      tools: { count: { tier: 'write' } },
    });
    expect(shop.arrived).toEqual([]);
    const names = crib.tools.list().map(({ tool }) => `${tool.name} ${tool.tier}`);
    expect(names.sort()).toEqual([
      'addItem external_api',
      'count write',
      'echo read_only',
      'item read_only',
      'items read_only',
      'owner read_only',
    ]);
    expect(await call('count')).toMatchObject({ data: { data: 0 } });
  });

  it('give a reason for a schema that cannot be read', async () => {
    shop = await openShop();
    opened.push(shop);
    crib = await openCrib({});
    for (const [body, reason] of [
      ['<html>', 'no GraphQL response'],
      [{ errors: [{ message: 'introspection is off' }] }, 'introspection is off'],
      [{ data: { __schema: { types: 'all' } } }, 'cannot be read'],
      [
        {
          data: {
            __schema: { queryType: { name: 'Q' }, types: [{ kind: 'OBJECT', name: 'a b' }] },
          },
        },
        'cannot be read',
      ],
    ] as const) {
      shop.trouble.push({ body }, { body }, { body });
      await expect(crib.sources.refresh('shop')).rejects.toThrow(reason);
      shop.trouble.length = 0;
      expect(crib.sources.list()[0]).toMatchObject({ state: 'failed', tools: 9 });
    }
    const { change } = await crib.sources.refresh('shop');
    expect(change).toEqual({ added: [], removed: [], changed: [] });
  });
});
