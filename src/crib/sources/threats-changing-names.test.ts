/**
 * Threat: a name leads to an allowed address while it is checked and to another one when it is connected to,
 * or a proxy of the environment is asked to connect instead. Judged by the connections that arrive.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPackageCrib } from '../../../test/fixtures/package-crib.ts';
import { ALLOW_ALL } from '../../../test/fixtures/vendors/vendor-crib.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../create-crib.ts';
import { catalogFetch } from '../team/open-team.ts';

const TIME_LIMIT = 60_000;
const NAME = 'changing.example.com';
/** The only local address that the configuration opens. */
const OPENED = '127.0.0.2';
const VICTIM = '127.0.0.1';

/** What the name resolves to; the last answer stays. */
let answers: string[] = [];
vi.mock('node:dns/promises', async (original) => ({
  ...(await original<typeof import('node:dns/promises')>()),
  lookup: async () => {
    const address = answers.length > 1 ? answers.shift() : answers[0];
    return [{ address: address ?? VICTIM, family: 4 }];
  },
}));

const servers: Server[] = [];
let crib: Crib | undefined;
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-names-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await crib?.close();
  crib = undefined;
  for (const server of servers.splice(0)) server.close();
  await rm(folder, { recursive: true });
});

/** Counts connections and ends them: what would be said on them does not matter here. */
const listen = async (host: string, port = 0) => {
  const counted = { connections: 0, port: 0 };
  const server = createServer((socket) => {
    counted.connections += 1;
    socket.on('error', () => undefined);
    socket.destroy();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  counted.port = (server.address() as AddressInfo).port;
  return counted;
};

/** The allowed service and, on the same port of another address, one that nobody may reach. */
const openPair = async () => {
  const victim = await listen(VICTIM);
  return { victim, allowed: await listen(OPENED, victim.port), port: victim.port };
};

const openCrib = async (): Promise<Crib> => {
  crib = await createCrib({
    builtins: false,
    store: 'memory',
    home: join(folder, 'home'),
    root: folder,
    policy: ALLOW_ALL,
    config: { registry: { lock: 'off' }, egress: { allowPrivate: [OPENED] } } as never,
  });
  return crib;
};

const DOCUMENT = {
  openapi: '3.0.0',
  info: {},
  paths: { '/a': { get: { operationId: 'call', responses: {} } } },
};
const PROTO = `syntax = "proto3"; package a;
service S { rpc Call (M) returns (M); } message M { string text = 1; }`;

const addAndCall = async (kind: string, settings: object): Promise<void> => {
  const opened = await openCrib();
  await opened.sources.add(kind as never, 'a', settings as never);
  const [tool] = opened.tools.list();
  if (tool) await opened.execute(tool.tool.name, {});
};

/** Uses the name in every way that a kind of source does; failures are expected. */
const USES: Readonly<Record<string, (port: number) => Promise<unknown>>> = {
  'an OpenAPI document': (port) =>
    addAndCall('openapi', { document: `https://${NAME}:${port}/a.json` }),
  'a call of an OpenAPI operation': async (port) => {
    await writeFile(join(folder, 'a.json'), JSON.stringify(DOCUMENT));
    await addAndCall('openapi', { document: 'a.json', baseUrl: `https://${NAME}:${port}` });
  },
  'a GraphQL introspection': (port) =>
    addAndCall('graphql', { url: `https://${NAME}:${port}/graphql` }),
  'a GraphQL query': async (port) => {
    await writeFile(join(folder, 'a.graphql'), 'type Query { a: Int }');
    const url = `https://${NAME}:${port}/graphql`;
    await addAndCall('graphql', { schema: 'a.graphql', url });
  },
  'a gRPC reflection': (port) => addAndCall('grpc', { address: `${NAME}:${port}` }),
  'a gRPC call': async (port) => {
    await writeFile(join(folder, 'a.proto'), PROTO);
    await addAndCall('grpc', { address: `${NAME}:${port}`, proto: ['a.proto'], tls: false });
  },
  'a WebSocket request': (port) =>
    addAndCall('websocket', {
      url: `wss://${NAME}:${port}/`,
      operations: { read: { description: 'Reads.', input: { type: 'object' } } },
      correlation: { field: 'id', replyField: 'id' },
    }),
  'an n8n workflow': (port) =>
    addAndCall('n8n', {
      baseUrl: `https://${NAME}:${port}`,
      workflows: { report: { webhookPath: 'report', description: 'Reports.', asksFirst: false } },
    }),
  'a tarball of a package': async (port) => {
    const opened = await openPackageCrib(folder, {
      config: { egress: { allowPrivate: [OPENED] } },
    });
    crib = opened;
    await opened.packages.install(`https://${NAME}:${port}/a.tgz`);
  },
  'a sync of a team': async (port) => {
    const url = `https://${NAME}:${port}`;
    const { fetch, close } = catalogFetch(url, { egress: { allowPrivate: [OPENED] } as never });
    await fetch(`${url}/v1/catalog/bundle`).finally(() => void close());
  },
};

const attempt = async (use: string, port: number): Promise<void> => {
  await USES[use]?.(port).catch(() => undefined);
};

describe('threat: names whose address changes after the check', { timeout: TIME_LIMIT }, () => {
  it.each(Object.keys(USES))('%s connects to the address that was checked', async (use) => {
    const { victim, allowed, port } = await openPair();
    answers = [OPENED, VICTIM];
    await attempt(use, port);
    expect(victim.connections).toBe(0);
    expect(allowed.connections).toBeGreaterThan(0);
  });

  it.each(Object.keys(USES))(
    '%s refuses a name with one forbidden address among its answers',
    async (use) => {
      const { victim, port } = await openPair();
      answers = [VICTIM];
      await attempt(use, port);
      expect(victim.connections).toBe(0);
    },
  );
});

describe('threat: a proxy of the environment connects instead', { timeout: TIME_LIMIT }, () => {
  const PROXY_VARIABLES = [
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'],
    ...['grpc_proxy', 'no_grpc_proxy', 'GLOBAL_AGENT_HTTP_PROXY'],
  ];

  it.each(Object.keys(USES))('%s ignores a proxy of the environment', async (use) => {
    const proxy = await listen(VICTIM);
    const { allowed, port } = await openPair();
    for (const name of PROXY_VARIABLES) vi.stubEnv(name, `http://${VICTIM}:${proxy.port}`);
    for (const name of ['NO_PROXY', 'no_proxy', 'no_grpc_proxy']) vi.stubEnv(name, '');
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    answers = [OPENED];
    await attempt(use, port);
    expect(proxy.connections).toBe(0);
    expect(allowed.connections).toBeGreaterThan(0);
  });
});
