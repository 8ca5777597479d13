/** Threat: the definitions of a source keep the one main thread busy, and every caller waits. */
import { describe, expect, it } from 'vitest';
import { longestHold, MAX_HOLD_MS } from '../../../test/fixtures/longest-hold.ts';
import type { ExternalSettings, ReadDeps, SourceDriver } from '../../contract/source-driver.ts';
import { createGraphqlDriver } from '../../sources/graphql/graphql-driver.ts';
import { createGrpcDriver } from '../../sources/grpc/grpc-driver.ts';
import { createOpenapiDriver } from '../../sources/openapi/openapi-driver.ts';
import { createRuntime } from '../create-runtime.ts';

const LONG = { timeout: 120_000 };

const settingsOf = (kind: ExternalSettings['kind'], own: object): ExternalSettings => ({
  name: 'a',
  kind,
  enabled: true,
  toolTiers: {},
  headers: {},
  timeoutMs: 1000,
  maxOutputBytes: 1000,
  own,
});

const depsOf = (text: string, signal: AbortSignal): ReadDeps => ({
  runtime: createRuntime({}),
  signal,
  redact: (each) => each,
  fetch: async () => new Response(text),
  resolveHost: async (host) => host,
  readFile: async () => Buffer.from(text),
  absolutePath: (path) => `/project/${path}`,
  secret: async () => undefined,
});

const OPENAPI = settingsOf('openapi', { document: 'a.yaml' });
const GRAPHQL = settingsOf('graphql', { url: 'https://a.example/', schema: 'a.graphql' });
const GRPC = settingsOf('grpc', { address: 'a.example:443', proto: ['a.proto'] });

/** The operation is at the end: no reader can stop early. */
const yaml = (lines: number): string =>
  `openapi: 3.0.0\nx-a:\n${'- a\n'.repeat(lines)}paths:\n  /a: { get: { operationId: a } }\n`;
const graphql = (types: number): string =>
  `type Query { a: Int }\n${Array.from({ length: types }, (_, n) => `type T${n} { a(b: Int, c: [String!]): T${n}! d: Int }`).join('\n')}`;
const proto = (types: number): string =>
  `syntax = "proto3"; service S { rpc A(M0) returns (M0); }\n${Array.from({ length: types }, (_, n) => `message M${n} { string a = 1; repeated M${n} b = 2; int64 c = 3; }`).join('\n')}`;

const ROWS: readonly (readonly [string, SourceDriver, ExternalSettings, () => string])[] = [
  ['an OpenAPI document of 400,000 lines', createOpenapiDriver(), OPENAPI, () => yaml(400_000)],
  ['a GraphQL schema of 40,000 types', createGraphqlDriver(), GRAPHQL, () => graphql(40_000)],
  ['a proto file of 30,000 messages', createGrpcDriver(), GRPC, () => proto(30_000)],
];

describe('threat: definitions that take long to read', () => {
  it.each(ROWS)(
    'hostile: %s does not block other calls',
    LONG,
    async (_what, driver, settings, make) => {
      const text = make();
      const read = (): Promise<unknown> =>
        driver.read(settings, depsOf(text, new AbortController().signal));
      expect(await longestHold(read)).toBeLessThan(MAX_HOLD_MS);
    },
  );

  it('hostile: reading a document ends with its time', LONG, async () => {
    const reading = createOpenapiDriver().read(
      OPENAPI,
      depsOf(yaml(4_000_000), AbortSignal.timeout(500)),
    );
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('benign: small and large documents give the same tools', LONG, async () => {
    for (const lines of [10, 50_000]) {
      const driver = createOpenapiDriver();
      const { signal } = new AbortController();
      const { definition } = await driver.read(OPENAPI, depsOf(yaml(lines), signal));
      const { runtime } = depsOf('', signal);
      const tools = driver.build(
        definition,
        settingsOf('openapi', { document: 'a.yaml', baseUrl: 'https://a.example/' }),
        { runtime, redact: (text) => text, refuse: () => undefined },
      );
      expect(tools?.map(({ name }) => name)).toEqual(['a']);
    }
  });
});
