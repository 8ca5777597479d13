/** Threat: a limited token of an admin gives itself what its limits keep from it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import samples from './route-samples.json' with { type: 'json' };
import { ROUTES } from './routes/route-table.ts';

let http: TestHttp;
beforeAll(async () => {
  http = await openHttp([aTool()]);
});
afterAll(() => http.close());

const makeAdmin = async (name: string, limits: object): Promise<string> => {
  const body = { name, role: 'admin', ...limits };
  const { json } = await http.ask('/v1/tokens', {
    method: 'POST',
    token: http.tokens.admin,
    body,
  });
  return json.token;
};

const CHANGES = ROUTES.filter(({ role, method }) => role === 'admin' && method !== 'get').map(
  ({ method, path }) => [method.toUpperCase(), path] as const,
);

const bodyOf = (title: string): object =>
  Object.hasOwn(samples, title) ? { body: samples[title as keyof typeof samples] } : {};

it.each(CHANGES)('a limited admin token is refused: %s %s', async (method, path) => {
  const token = await makeAdmin(`few-${method}-${path.replace(/\W+/g, '-')}`, { tools: ['echo'] });
  const at = path.replace(':name', 'echo').replace(':id', 'nothing');
  const { status, json } = await http.ask(at, { method, token, ...bodyOf(`${method} ${path}`) });
  expect([status, json.error.message]).toEqual([403, expect.stringContaining('limited token')]);
});

it.each([
  ['tools', { tools: ['echo'] }],
  ['no tools', { tools: [] }],
  ['dollars', { dailyUsd: 0 }],
  ['isolation', { isolation: 'strict' }],
])(
  'an admin token limited by %s creates no token, but reads and calls what it may',
  async (name, limits) => {
    const token = await makeAdmin(`by-${name.replace(' ', '-')}`, limits);
    const body = { name: 'wide', role: 'admin' };
    expect((await http.ask('/v1/tokens', { method: 'POST', token, body })).status).toBe(403);
    expect((await http.ask('/v1/tokens', { token })).status).toBe(200);
  },
);

it('an admin token without limits can create tokens', async () => {
  const token = await makeAdmin('whole', {});
  const body = { name: 'next', role: 'admin' };
  expect((await http.ask('/v1/tokens', { method: 'POST', token, body })).status).toBe(201);
});
