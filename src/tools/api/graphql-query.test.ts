/** graphql_query through a whole crib, against a service with a real schema. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import { openGraphql } from '../../../test/fixtures/vendors/graphql-server.ts';
import {
  exampleAt,
  runThrough,
  trailOf,
  vendorCrib,
} from '../../../test/fixtures/vendors/vendor-crib.ts';
import { TOO_MANY, type VendorSite } from '../../../test/fixtures/vendors/vendor-site.ts';
import { defineGraphqlQuery } from './graphql-query.ts';

const graphqlQuery = defineGraphqlQuery();

let site: VendorSite;
let crib: TestCrib;
beforeEach(async () => {
  site = await openGraphql();
  crib = await vendorCrib(graphqlQuery);
});
afterEach(async () => {
  await crib.close();
  await site.close();
});

const ask = (query: string, more: object = {}) =>
  crib.execute('graphql_query', { endpoint: site.url, query, ...more });

describe('graphql_query', () => {
  it.each(titlesOf(graphqlQuery))('example: %s', async (title) => {
    const from = 'https://api.example.com/graphql';
    const { input, output } = exampleAt(graphqlQuery, title, [from, site.url]);
    expect((await crib.execute('graphql_query', input)).data).toMatchObject(output as object);
  });

  it('sends variables and the name of the operation', async () => {
    const query = 'query A { a: hello } query B($n: String) { b: hello(name: $n) }';
    const { data } = await ask(query, { operationName: 'B', variables: { n: 'ada' } });
    expect(data).toEqual({ data: { b: 'ada' }, errors: [] });
  });

  it('returns a partial answer with a warning', async () => {
    const { data, warnings } = await ask('{ hello broken }');
    expect(data).toMatchObject({
      data: { hello: 'world', broken: null },
      errors: [{ message: 'out of order', path: ['broken'] }],
    });
    expect(warnings?.[0]).toContain('a part only');
  });

  it('maps errors of the service', async () => {
    expect((await ask('{ nothing }')).error).toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ path: ['query'] }],
    });
    site.trouble.push({ body: { errors: [{ message: 'x', extensions: { code: 'FORBIDDEN' } }] } });
    expect((await ask('{ hello }')).error?.code).toBe('AUTH_MISSING');
    site.trouble.push({
      body: { errors: [{ message: 'x', extensions: { code: 'UNAUTHENTICATED' } }] },
    });
    expect((await ask('{ hello }')).error?.code).toBe('AUTH_MISSING');
    site.trouble.push({ body: { data: null, errors: [{ message: 'odd' }] } });
    expect((await ask('{ hello }')).error).toMatchObject({
      code: 'EXECUTION_FAILED',
      message: 'The service answered with errors: odd',
    });
  });

  it.each([
    [200, '<html>', 'EXECUTION_FAILED'],
    [200, '{}', 'EXECUTION_FAILED'],
    [401, 'no', 'AUTH_MISSING'],
    [404, 'no', 'NOT_FOUND'],
  ])('status %i with %j is %s', async (status, body, code) => {
    site.trouble.push({ status, body });
    expect((await ask('{ hello }')).error?.code).toBe(code);
  });

  it.each([
    [`{ ${'a{'.repeat(4900)}`, 'query', /nested too deep|Syntax error/],
    ['{ hello', 'query', /Expected Name, found <EOF>. at line 1, column 8/],
    ['{ hello(name: "a" }', 'query', /line 1, column 19/],
    ['fragment F on Query { hello }', 'query', /no operation/],
    ['query A { hello } query B { hello }', 'operationName', /several/],
    ['subscription { hello }', 'query', /Subscriptions/],
    // How deep the parser gets before it has read too many tokens depends on the stack.
    [`{ ${'a{'.repeat(6000)}`, 'query', /token|nested too deep/i],
  ])('refuses the faulty query %# before anything is sent', async (query, field, message) => {
    const { error } = await ask(query);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: [field] }] });
    expect(error?.issues?.[0]?.message).toMatch(message);
    expect(site.arrived).toEqual([]);
  });

  it('refuses the name of an operation that is not there, and input of another shape', async () => {
    const named = await ask('query A { hello }', { operationName: 'Z' });
    expect(named.error?.issues?.[0]?.path).toEqual(['operationName']);
    const { error } = await crib.execute('graphql_query', { endpoint: 'x', query: '' });
    expect(error?.issues?.map(({ path }) => path[0])).toEqual(['endpoint', 'query']);
  });
});

describe('threat: a mutation declared as a query', () => {
  it.each([
    'mutation { add(by: 1) }',
    'query A { hello } mutation B { add(by: 1) }',
    'query A { hello } mutation A { add(by: 1) }',
  ])('hostile: %s', async (query) => {
    const { error } = await ask(query, query.startsWith('query') ? { operationName: 'A' } : {});
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', issues: [{ path: ['operation'] }] });
    expect(site.arrived).toEqual([]);
  });

  it('needs an approval for queries and mutations', async () => {
    const strict = await vendorCrib(graphqlQuery, { policy: { version: 1, rules: [] } });
    const input = { endpoint: site.url, query: 'mutation { add(by: 1) }', operation: 'mutation' };
    expect((await strict.execute('graphql_query', input)).status).toBe('pending');
    const read = { endpoint: site.url, query: '{ hello }' };
    expect((await strict.execute('graphql_query', read)).status).toBe('pending');
    await strict.close();
  });
});

describe('graphql_query and the service', () => {
  it('honours Retry-After and repeats the idempotency key of a mutation', async () => {
    site.trouble.push(TOO_MANY);
    const query = 'mutation { add(by: 1) }';
    const input = { endpoint: site.url, query, operation: 'mutation' };
    const result = await runThrough(crib, ['graphql_query', input]);
    expect(result.data).toMatchObject({ data: { add: 1 } });
    expect(result.waitedMs).toBeGreaterThanOrEqual(7000);
    const [first, second] = site.arrived.map(({ headers }) => headers['idempotency-key']);
    expect([first, second]).toEqual([result.metadata.executionId, result.metadata.executionId]);
  });

  it('adds the credential of the host, and keeps it out of the trail', async () => {
    const keys = { GRAPHQL_TOKEN: 'graphql-0123456789' };
    const { host } = new URL(site.url);
    const credentials = {
      [host]: { secret: 'GRAPHQL_TOKEN', scheme: 'header', header: 'X-Api-Key' },
    } as const;
    const own = await vendorCrib(defineGraphqlQuery({ credentials }), { keys });
    const input = { endpoint: site.url, query: '{ hello }' };
    expect((await own.execute('graphql_query', input)).success).toBe(true);
    expect(site.arrived[0]?.headers['x-api-key']).toBe(keys.GRAPHQL_TOKEN);
    expect(await trailOf(own)).not.toContain(keys.GRAPHQL_TOKEN);
    await own.close();
  });
});
