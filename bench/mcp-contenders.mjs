/** Everyone who brings a call to the same stdio server: directly, through Toolcrib, through a peer. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHttp, openStdio } from './mcp-clients.mjs';
import { programPath } from './product.mjs';

const here = (name) => join(import.meta.dirname, name);
const ECHO = here('mcp-echo-server.mjs');
const FORWARDER = here('mcp-forwarder.mjs');
const MCP_PROXY = here('node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs');
const TOKEN = 'a-token-of-the-benchmark';

/**
 * A project of its own with nothing switched off: SQLite, the policy that ships, the lock strict and
 * the tool accepted by its user.
 */
const project = (folder, { tier, syncEveryRecord = false }) => {
  const home = join(folder, 'home');
  const cwd = join(folder, 'project');
  for (const path of [home, cwd]) mkdirSync(path, { recursive: true });
  // Otherwise the second write would ask: the first answer counts as somebody's private data.
  const labels = { sensitivity: 'public' };
  const echo = { command: process.execPath, args: [ECHO], tier, labels };
  writeFileSync(
    join(home, 'config.yml'),
    JSON.stringify({ mcp: { servers: { echo } }, audit: { syncEveryRecord } }),
  );
  const env = { HOME: home, TOOLCRIB_HOME: home, MCP_BEARER_TOKEN: TOKEN };
  const accept = [programPath(), 'tools', 'accept', 'echo', '--yes'];
  execFileSync(process.execPath, accept, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: 'pipe',
  });
  return { cwd, env, headers: { authorization: `Bearer ${TOKEN}` } };
};

const toolcrib = (settings) => ({
  stdio: (folder) => openStdio([programPath(), 'mcp'], project(folder, settings)),
  http: (folder) =>
    openHttp((port) => [programPath(), 'mcp', '--http', `${port}`], project(folder, settings)),
});

const readOnly = toolcrib({ tier: 'read_only' });
const strict = toolcrib({ tier: 'read_only', syncEveryRecord: true });
const write = toolcrib({ tier: 'write' });

/**
 * Name to what opens its client, given a folder. `over` is how the client reaches it: contenders are
 * compared with those over the same. `peer` marks the proxies that one can install.
 */
export const contenders = {
  direct: { over: 'stdio', open: () => openStdio([ECHO]) },
  'Toolcrib, stdio': { over: 'stdio', open: readOnly.stdio },
  'Toolcrib, stdio, write': { over: 'stdio', open: write.stdio },
  'fastmcp, stdio': {
    over: 'stdio',
    peer: true,
    open: () => openStdio([FORWARDER, 'fastmcp', '0', ECHO]),
  },
  'bare forwarder, stdio': {
    over: 'stdio',
    open: () => openStdio([FORWARDER, 'mcp-proxy', '0', ECHO]),
  },
  'Toolcrib, HTTP': { over: 'http', open: readOnly.http },
  'Toolcrib, HTTP, every record synced first': { over: 'http', open: strict.http },
  'mcp-proxy, HTTP': {
    over: 'http',
    peer: true,
    open: () =>
      openHttp((port) => [
        ...[MCP_PROXY, '--host', '127.0.0.1', '--port', `${port}`, '--server', 'stream'],
        ...['--', process.execPath, ECHO],
      ]),
  },
  'fastmcp, HTTP': {
    over: 'http',
    peer: true,
    open: () => openHttp((port) => [FORWARDER, 'fastmcp', `${port}`, ECHO]),
  },
};
