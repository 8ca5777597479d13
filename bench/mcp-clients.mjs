/**
 * Clients that cost next to nothing: the handshake of the protocol, then one JSON-RPC message a
 * call. A client of comfort takes longer for a call than any proxy does, and would be all that is
 * measured.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

const PROTOCOL = '2025-06-18';
const START_MS = 60_000;
const MAX_CONNECTIONS = 32;
const TICK_MICROS = 10_000;

/** Microseconds of processor time of a process so far, to a hundredth of a second. */
const processorOf = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  return (Number(user) + Number(system)) * TICK_MICROS;
};

const HELLO = {
  protocolVersion: PROTOCOL,
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
};

const start = (args, { env = {}, cwd, stdio }) =>
  spawn(process.execPath, args, {
    stdio,
    env: { PATH: process.env.PATH, ...env },
    ...(cwd && { cwd }),
  });

const clientOf = (child, { ask, tell, leave }) => {
  const exit = once(child, 'exit');
  return {
    greet: async () => {
      await ask('initialize', HELLO);
      await tell('notifications/initialized');
      await ask('tools/list', {});
    },
    /** Throws unless the server's own words came back. */
    call: async (text) => {
      const { result, error } = await ask('tools/call', { name: 'echo', arguments: { text } });
      if (result?.isError || result?.content?.[0]?.text !== text) {
        throw new Error(`expected "${text}", got ${JSON.stringify(result ?? error)}`);
      }
    },
    processor: () => processorOf(child.pid),
    close: async () => {
      await leave();
      child.kill();
      await exit;
    },
  };
};

/** One message a line, in and out. */
export const openStdio = async (args, options = {}) => {
  const child = start(args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let last = 0;
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  const send = (message) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const client = clientOf(child, {
    ask: (method, params) =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        send({ id: last, method, params });
      }),
    tell: (method) => send({ method }),
    leave: () => child.stdin.end(),
  });
  await client.greet();
  return client;
};

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
};

/** An answer is one JSON message, or the last event of a stream. */
const messageIn = (text) =>
  JSON.parse(text.startsWith('{') ? text : text.slice(text.lastIndexOf('\ndata: ') + 7));

const untilItListens = async (greet) => {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      return await greet();
    } catch (error) {
      if (error.code !== 'ECONNREFUSED' || Date.now() > until) throw error;
      await pause(100);
    }
  }
};

/** One message a POST. */
export const openHttp = async (argsFor, { headers = {}, ...options } = {}) => {
  const port = await freePort();
  const child = start(argsFor(port), { ...options, stdio: 'ignore' });
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: MAX_CONNECTIONS });
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': PROTOCOL,
    ...headers,
  };
  let last = 0;
  const post = async (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const answer = await pool.request({ method: 'POST', path: '/mcp', headers: all, body });
    const session = answer.headers['mcp-session-id'];
    if (session) all['mcp-session-id'] = session;
    return answer.body.text();
  };
  const client = clientOf(child, {
    ask: async (method, params) => {
      last += 1;
      return messageIn(await post({ id: last, method, params }));
    },
    tell: (method) => post({ method }),
    leave: () => pool.close(),
  });
  await untilItListens(client.greet);
  return client;
};
