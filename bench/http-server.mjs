/**
 * One of the servers that `http.mjs` and `sse.mjs` put under load, in a process of its own: Toolcrib
 * with full governance and a durable trail, or a bare Hono that echoes. Says where it listens.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { openCrib } from './crib-under-test.mjs';
import { loadServer } from './product.mjs';

const tell = (message) => process.send(message);

const echo = async () => {
  const app = new Hono();
  app.post('/echo', async (context) => context.json(await context.req.json()));
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
    tell({ url: `http://127.0.0.1:${port}` }),
  );
  return async () => undefined;
};

const toolcrib = async (syncEveryRecord) => {
  const data = join(import.meta.dirname, '.data');
  mkdirSync(data, { recursive: true });
  const folder = mkdtempSync(join(data, 'http-'));
  const { openServer, loadConfig, createRuntime, createTokenService } = await loadServer();
  const crib = await openCrib({ store: 'sqlite', folder, syncEveryRecord });
  const env = { TOOLCRIB_HOME: join(folder, 'home') };
  const runtime = createRuntime();
  const server = await openServer({
    crib,
    loaded: await loadConfig({ cwd: folder, env }),
    runtime,
    version: '0.0.0',
    env,
    host: '127.0.0.1',
    port: 0,
    doctor: async () => [],
    describe: () => '',
  });
  const tokens = async () => (await crib.store()).tokens;
  const desk = createTokenService({ runtime, randomBytes, tokens });
  const agent = await desk.create({ name: 'agent', role: 'agent' }, 'bench');
  const viewer = await desk.create({ name: 'viewer', role: 'viewer' }, 'bench');
  tell({ url: server.url, agent: agent.token, viewer: viewer.token });
  return async () => {
    await server.close();
    await crib.close();
    rmSync(folder, { recursive: true, force: true });
  };
};

const servers = { echo, toolcrib: () => toolcrib(false), strict: () => toolcrib(true) };
const stop = await servers[process.argv[2]]();
process.on('message', (message) => {
  if (message === 'memory') {
    globalThis.gc?.();
    tell({ rss: process.memoryUsage().rss });
  }
  if (message === 'cpu') {
    const { user, system } = process.cpuUsage();
    tell({ cpu: user + system });
  }
  if (message === 'stop') void stop().then(() => process.exit(0));
});
