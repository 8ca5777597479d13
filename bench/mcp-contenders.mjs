/** Everyone who brings a call to the same stdio server: directly, through Toolcrib, through a peer. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { programPath } from './product.mjs';

const here = (name) => join(import.meta.dirname, name);
const ECHO = here('mcp-echo-server.mjs');
const TOKEN = 'a-token-of-the-benchmark';
const START_MS = 60_000;

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
};

const newClient = () => new Client({ name: 'bench', version: '1.0.0' });

const overStdio = async (args, { env = {}, cwd } = {}) => {
  const client = newClient();
  const command = process.execPath;
  await client.connect(
    new StdioClientTransport({
      command,
      args,
      env: { PATH: process.env.PATH, ...env },
      stderr: 'ignore',
      ...(cwd && { cwd }),
    }),
  );
  return { client, close: () => client.close() };
};

/** Tries until the program listens. */
const connected = async (url, headers) => {
  const until = Date.now() + START_MS;
  for (;;) {
    const client = newClient();
    try {
      await client.connect(
        new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
      );
      return client;
    } catch (error) {
      if (Date.now() > until) throw error;
      await pause(200);
    }
  }
};

const overHttp = async (argsFor, { env = {}, cwd, headers = {} } = {}) => {
  const port = await freePort();
  const child = spawn(process.execPath, argsFor(port), {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, ...env },
    ...(cwd && { cwd }),
  });
  const exit = once(child, 'exit');
  try {
    const client = await connected(`http://127.0.0.1:${port}/mcp`, headers);
    const close = async () => {
      await client.close();
      child.kill();
      await exit;
    };
    return { client, close };
  } catch (error) {
    child.kill();
    throw error;
  }
};

/**
 * A project of its own with nothing switched off: SQLite with full sync, the policy that ships, the
 * lock strict and the tool accepted by its user.
 */
const project = (folder, tier) => {
  const home = join(folder, 'home');
  const cwd = join(folder, 'project');
  for (const path of [home, cwd]) mkdirSync(path, { recursive: true });
  const echo = { command: process.execPath, args: [ECHO], tier };
  writeFileSync(join(home, 'config.yml'), JSON.stringify({ mcp: { servers: { echo } } }));
  const env = { HOME: home, TOOLCRIB_HOME: home, MCP_BEARER_TOKEN: TOKEN };
  const accept = [programPath(), 'tools', 'accept', 'echo', '--yes'];
  execFileSync(process.execPath, accept, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: 'pipe',
  });
  return { cwd, env, headers: { authorization: `Bearer ${TOKEN}` } };
};

const toolcrib = (tier) => ({
  stdio: ({ folder }) => overStdio([programPath(), 'mcp'], project(folder, tier)),
  http: ({ folder }) =>
    overHttp((port) => [programPath(), 'mcp', '--http', `${port}`], project(folder, tier)),
});

const readOnly = toolcrib('read_only');
const write = toolcrib('write');

/** Name to a function that opens a client; `peer` marks the proxies of others. */
export const contenders = {
  direct: { open: () => overStdio([ECHO]) },
  'Toolcrib, stdio': { open: readOnly.stdio },
  'Toolcrib, HTTP': { open: readOnly.http },
  'Toolcrib, stdio, write': { open: write.stdio },
  'mcp-proxy, HTTP': {
    peer: true,
    open: () =>
      overHttp((port) => [
        here('node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs'),
        ...['--host', '127.0.0.1', '--port', `${port}`, '--server', 'stream'],
        ...['--', process.execPath, ECHO],
      ]),
  },
  'mcp-proxy as a library, stdio': {
    peer: true,
    open: () => overStdio([here('mcp-forwarder.mjs'), 'mcp-proxy', '0', ECHO]),
  },
  'fastmcp, HTTP': {
    peer: true,
    open: () => overHttp((port) => [here('mcp-forwarder.mjs'), 'fastmcp', `${port}`, ECHO]),
  },
  'fastmcp, stdio': {
    peer: true,
    open: () => overStdio([here('mcp-forwarder.mjs'), 'fastmcp', '0', ECHO]),
  },
};

/** One call; throws unless the server's own words came back. */
export const callEcho = async (client, text) => {
  const { content, isError } = await client.callTool({ name: 'echo', arguments: { text } });
  if (isError || content[0]?.text !== text) {
    throw new Error(`expected "${text}", got ${JSON.stringify(content)}`);
  }
};
