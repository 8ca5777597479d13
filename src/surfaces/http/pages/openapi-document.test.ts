/** The OpenAPI document: whole, valid, and true of what is served. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { ROUTES } from '../routes/route-table.ts';
import { openapiPath } from './openapi-document.ts';

interface Media {
  readonly schema: object;
}
interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: object }[];
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<string, { description: string; content: Record<string, Media> }>;
}
interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Record<string, Record<string, Operation>>;
}

let http: TestHttp;
let document: Document;
beforeAll(async () => {
  const keyless = aTool({
    name: 'keyless',
    auth: { type: 'api_key', required: true, configKey: 'KEYLESS_API_KEY' },
  });
  http = await openHttp([aTool({ examples: [{ title: 'one', input: {} }] }), keyless]);
  document = (await http.ask('/openapi.json')).json as Document;
});
afterAll(() => http.close());

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );

describe('the OpenAPI document', () => {
  it('has every route of the table and nothing else', () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${openapiPath(path)}`);
    expect(
      operations()
        .map(([title]) => title)
        .sort(),
    ).toEqual(routes.sort());
    expect(document.openapi).toMatch(/^3\.1\./);
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('names each parameter of a path, and holds only schemas that compile', () => {
    const ajv = new Ajv2020({ strict: false });
    for (const [title, { parameters = [], requestBody, responses }] of operations()) {
      const inPath = parameters.filter((each) => each.in === 'path');
      const named = [...title.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        inPath.map(({ name }) => name),
        title,
      ).toEqual(named);
      expect(
        inPath.every(({ required }) => required),
        title,
      ).toBe(true);
      const media = [requestBody, ...Object.values(responses)].flatMap((each) =>
        Object.values(each?.content ?? {}),
      );
      for (const { schema } of [...parameters, ...media]) {
        expect(ajv.validateSchema(schema), title).toBe(true);
        ajv.compile(schema);
      }
      expect(JSON.stringify([parameters, media]), title).not.toContain('$ref');
      for (const { description } of Object.values(responses)) expect(description).toMatch(/\w/);
    }
  });

  it('says which routes need authentication', () => {
    for (const { method, path, role } of ROUTES) {
      const operation = document.paths[openapiPath(path)]?.[method];
      expect(operation?.security.length === 0, path).toBe(role === 'public');
      expect(Object.hasOwn(operation?.responses ?? {}, 401), path).toBe(role !== 'public');
    }
  });

  it('distinguishes a tool that lacks its credential from an unknown sender', async () => {
    const ajv = new Ajv2020({ strict: false });
    const responses = document.paths['/v1/tools/{name}/execute']?.post?.responses;
    const fits = (status: number, body: unknown): boolean =>
      ajv.validate(responses?.[status]?.content['application/json']?.schema ?? false, body);
    const path = '/v1/tools/keyless/execute';
    const asking = { method: 'POST', body: { input: {} } };
    const lacking = await http.ask(path, { ...asking, token: http.tokens.agent });
    const stranger = await http.ask(path, asking);
    expect([lacking.status, stranger.status]).toEqual([424, 401]);
    expect([fits(424, lacking.json), fits(401, stranger.json)]).toEqual([true, true]);
    expect([fits(424, stranger.json), fits(401, lacking.json)]).toEqual([false, true]);
  });

  it('describes the answers of the server, good and bad', async () => {
    const ajv = new Ajv2020({ strict: false });
    const token = http.tokens.admin;
    await http.ask('/v1/tools/echo/execute', { method: 'POST', token, body: { input: {} } });
    const [row] = await http.crib.audit.query({ limit: 1 });
    const gets = ROUTES.filter(
      ({ method, response }) => method === 'get' && typeof response !== 'string',
    );
    let seen = 0;
    for (const { path } of gets) {
      const filled = path.replace(':name', 'echo').replace(':id', row?.executionId ?? '');
      const answer = await http.ask(`${filled}${path.endsWith('/search') ? '?q=echo' : ''}`, {
        token,
      });
      const responses = document.paths[openapiPath(path)]?.get?.responses ?? {};
      const told = responses[answer.status] ?? responses.default;
      const validate = ajv.compile(told?.content['application/json']?.schema ?? false);
      expect(validate(answer.json), `${path}: ${JSON.stringify(validate.errors)}`).toBe(true);
      if (answer.status === 200) seen += 1;
    }
    expect(seen).toBeGreaterThan(14);
  });

  it('is shown as a page without scripts', async () => {
    const page = await http.ask('/docs');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).not.toMatch(/<script|https?:\/\/(?!127)/);
    for (const { path } of ROUTES) expect(page.text).toContain(openapiPath(path));
  });
});
