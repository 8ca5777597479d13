/**
 * A thousand clients on the event stream: what they cost the server in memory, and whether each of
 * them hears every event. The server has a process of its own, so that only its memory counts.
 */
import { get, request } from 'node:http';
import { startServer } from './http-child.mjs';
import { runIfMain, target } from './report.mjs';

export const title = 'sse: a thousand clients on the event stream';

const MEGABYTE = 1024 * 1024;
const most = 100;

/** Resolves once the stream is open; `heard` counts the calls that it was told of. */
const open = (server, counts) =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.viewer}` };
    const asked = get(`${server.url}/v1/events?types=call.finished`, { headers, agent: false });
    asked.once('error', reject);
    asked.once('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
      let text = '';
      let isOpen = false;
      response.on('data', (chunk) => {
        text += chunk;
        const events = text.split('\n\n');
        text = events.pop();
        counts.heard += events.filter((event) => event.includes('event: call.finished')).length;
        if (isOpen) return;
        isOpen = true;
        resolve(() => asked.destroy());
      });
    });
  });

const call = (server, a) =>
  new Promise((resolve, reject) => {
    const sent = request(`${server.url}/v1/tools/add/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.agent}` },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      response.resume();
      response.once('end', resolve);
    });
    sent.end(JSON.stringify({ input: { a, b: 1 } }));
  });

const until = async (isSo, limitMs) => {
  const end = performance.now() + limitMs;
  while (!isSo() && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

export const measure = async ({ quick }) => {
  const clients = quick ? 200 : 1000;
  const calls = 20;
  const server = await startServer('toolcrib');
  // What the first client loads is not the price of the others.
  const counts = { heard: 0 };
  const first = await open(server, counts);
  await call(server, 0);
  await until(() => counts.heard === 1, 30_000);
  counts.heard = 0;
  const before = await server.memory();
  const closers = [first];
  for (let at = 1; at < clients; at++) closers.push(await open(server, counts));
  const started = performance.now();
  for (let at = 1; at <= calls; at++) await call(server, at);
  const wanted = clients * calls;
  await until(() => counts.heard === wanted, 60_000);
  const ms = performance.now() - started;
  const used = ((await server.memory()) - before) / MEGABYTE;
  for (const close of closers) close();
  await server.stop();
  const allowed = (most * clients) / 1000;
  return [
    {
      name: `${clients} clients`,
      value: used,
      unit: 'MB',
      target: target(`< ${allowed} MB`, used < allowed),
    },
    {
      name: `${calls} calls told to each`,
      value: counts.heard,
      unit: 'events',
      target: target(`all ${wanted}`, counts.heard === wanted),
    },
    { name: 'events delivered', value: (counts.heard * 1000) / ms, unit: 'events/s' },
  ];
};

await runIfMain(import.meta.url, title, measure);
