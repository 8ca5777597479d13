/**
 * OpenAPI sources: how long the import of a thousand operations takes in a new process, and what a call
 * through an imported operation costs beside a bare `fetch` with the same validation.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { productUrl } from './product.mjs';
import { race, scratchFolder } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { pairedRatio, summarize } from './statistics.mjs';

export const title = 'openapi: 1,000 operations, and a call beside a bare fetch';

const OPERATIONS = 1_000;
const IMPORT_MS = 2_000;
const MAX_RATIO = 1.3;

const text = { type: 'string' };
const reference = (name) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema) => ({ content: { 'application/json': { schema } } });

const operation = (i, verb) => ({
  operationId: `${verb}_thing_${i}`,
  summary: `Will ${verb} thing ${i}.`,
  description: `Does what its name says with thing ${i}, and answers with the thing as it is then.`,
  tags: [`group-${i % 40}`],
  parameters: [
    { name: 'id', in: 'path', required: true, schema: text },
    { name: 'fields', in: 'query', schema: { type: 'array', items: text }, explode: false },
    { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
    { name: 'X-Request', in: 'header', schema: text },
  ],
  ...(verb === 'change' && {
    requestBody: { required: true, ...json(reference(`Thing${i % 100}`)) },
  }),
  responses: {
    200: { description: 'The thing.', ...json(reference(`Thing${i % 100}`)) },
    404: { description: 'There is none.', ...json(reference('Problem')) },
  },
});

/** Components that refer to others, some of them in a circle, as documents of that size have them. */
const thing = (i) => ({
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { ...text, readOnly: true },
    name: { ...text, minLength: 1, maxLength: 200 },
    state: { enum: ['on', 'off', 'unknown'] },
    size: { type: 'number', nullable: true, minimum: 0 },
    parent: reference(`Thing${(i + 1) % 100}`),
    notes: { type: 'array', items: { allOf: [reference('Note'), { required: ['text'] }] } },
  },
});

const largeDocument = () => ({
  openapi: '3.0.3',
  info: { title: 'Things', version: '1.0.0' },
  servers: [{ url: 'https://things.example/v1' }],
  paths: Object.fromEntries(
    Array.from({ length: OPERATIONS / 2 }, (_, i) => [
      `/things/${i}/{id}`,
      { get: operation(i, 'read'), put: operation(i, 'change') },
    ]),
  ),
  components: {
    schemas: {
      Problem: { type: 'object', properties: { title: text, status: { type: 'integer' } } },
      Note: { type: 'object', properties: { text, by: text } },
      ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`Thing${i}`, thing(i)])),
    },
  },
});

/** In a process of its own, as a program starts. Nothing of the document is known from before. */
const IMPORT = `
const { createCrib } = await import(process.env.PRODUCT);
const [folder, document] = process.argv.slice(1);
const begin = performance.now();
const crib = await createCrib({
  store: 'memory', builtins: false, home: folder, root: folder,
  config: { registry: { lock: 'off' }, sources: { openapi: { things: { document } } } },
});
const count = crib.tools.list().length;
const ms = performance.now() - begin;
// Every schema is made, as a model's list of tools needs it.
const listed = crib.tools.forModel('mcp').definitions.length;
console.log(JSON.stringify({ ms, listedMs: performance.now() - begin, count, listed }));
await crib.close();
`;

const importOnce = async (document) => {
  const home = await scratchFolder();
  const args = ['--input-type=module', '-e', IMPORT, home, document];
  const env = { ...process.env, PRODUCT: productUrl() };
  const result = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env }));
  await rm(home, { recursive: true, force: true });
  if (result.count !== OPERATIONS || result.listed !== OPERATIONS) {
    throw new Error(`expected ${OPERATIONS} tools, got ${result.count}, listed ${result.listed}`);
  }
  return result;
};

const importRows = async (rounds) => {
  const folder = await scratchFolder();
  try {
    const file = join(folder, 'things.json');
    writeFileSync(file, JSON.stringify(largeDocument()));
    const results = [];
    for (let i = 0; i < rounds; i++) results.push(await importOnce(file));
    const row = (name, samples) => {
      const { median: value, best, spread } = summarize(samples);
      const text = `≤ ${IMPORT_MS / 1000} s`;
      return { name, value, best, unit: 'ms', spread, target: target(text, value <= IMPORT_MS) };
    };
    return [
      row(
        'import of 1,000 operations',
        results.map(({ ms }) => ms),
      ),
      row(
        'import, and every schema listed',
        results.map(({ listedMs }) => listedMs),
      ),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const callRows = async (quick) => {
  const server = fork(join(import.meta.dirname, 'openapi-server.mjs'));
  try {
    const [{ origin }] = await once(server, 'message');
    const names = ['bare fetch', 'Toolcrib, OpenAPI'];
    const pace = quick
      ? { concurrency: [1], rounds: 9, warmMs: 500, roundMs: 50 }
      : { concurrency: [1], rounds: 31, warmMs: 2000, roundMs: 100 };
    const entrants = names.map((contender) => ({
      contender,
      origin,
      from: './openapi-contenders.mjs',
    }));
    const timings = (await race(entrants, pace))[1];
    const ratio = pairedRatio(timings[names[1]].samples, timings[names[0]].samples);
    return names.map((name) => {
      const { median, best, spread } = summarize(timings[name].samples);
      const isOurs = name !== names[0];
      return {
        name,
        value: median / 1000,
        best: best / 1000,
        unit: 'µs/call',
        spread,
        ...(isOurs && {
          ratios: { [names[0]]: ratio },
          target: target(`≤ ${MAX_RATIO}× bare fetch`, ratio <= MAX_RATIO),
        }),
      };
    });
  } finally {
    server.disconnect();
  }
};

export const measure = async ({ quick }) => [
  ...(await importRows(quick ? 3 : 9)),
  ...(await callRows(quick)),
];

await runIfMain(import.meta.url, title, measure);
