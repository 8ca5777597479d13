/**
 * The crib as the benchmarks open it: every stage on, nothing switched off to be faster. `rows`
 * fills its audit trail and `tools` its registry before the first call is measured.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { loadProduct } from './product.mjs';

const numbers = z.object({ a: z.number(), b: z.number() });
const add = async ({ a, b }) => a + b;

/**
 * One tool that reads, one that may change something, one that also declares what it changes, and
 * one with a limit, a price and a precondition, so that the stages for those have work to do.
 */
const adders = (defineTool) => {
  const base = { description: 'Adds two numbers.', input: numbers, output: z.number(), run: add };
  return [
    defineTool({ ...base, name: 'add', tier: 'read_only' }),
    defineTool({ ...base, name: 'add_write', tier: 'write' }),
    defineTool({
      ...base,
      name: 'add_effect',
      tier: 'write',
      effects: [
        {
          type: 'state_change',
          description: 'Counts the additions.',
          reversible: true,
          state: 'additions',
          change: 'increment',
        },
      ],
    }),
    defineTool({
      ...base,
      name: 'add_metered',
      tier: 'read_only',
      rateLimit: { maxPerHour: 1e9, maxPerDay: 1e9 },
      cost: { model: 'usage_based', fixed: 0.000001 },
      preconditions: [
        {
          type: 'custom',
          id: 'holds',
          description: 'Always holds.',
          critical: true,
          check: () => true,
        },
      ],
    }),
  ];
};

const verbs = ['fetch', 'list', 'create', 'remove', 'convert', 'merge', 'sort', 'validate', 'send'];
const nouns = ['invoice', 'calendar', 'branch', 'image', 'customer', 'sensor', 'ticket', 'route'];
const places = ['warehouse', 'mailbox', 'repository', 'ledger', 'archive', 'dashboard', 'queue'];
const ways = ['daily', 'encrypted', 'partial', 'remote', 'signed', 'cached', 'bulk', 'draft'];

const pick = (words, i) => words[i % words.length];

/** Tools of many names and words, as a large catalog has them. */
export const manyTools = (defineTool, count) =>
  Array.from({ length: count }, (_, i) => {
    const verb = pick(verbs, i);
    const noun = pick(nouns, Math.floor(i / verbs.length));
    const place = pick(places, Math.floor(i / (verbs.length * nouns.length)));
    const way = pick(ways, Math.floor(i / (verbs.length * nouns.length * places.length)));
    return defineTool({
      name: `${verb}_${noun}_${place}_${i}`,
      description: `Will ${verb} a ${way} ${noun} in the ${place} of unit ${i % 97}.`,
      tags: [noun, way],
      tier: 'read_only',
      input: {
        type: 'object',
        properties: { [`${noun}_id`]: { type: 'string' }, limit: { type: 'integer' } },
        required: [`${noun}_id`],
      },
      run: async (input) => input,
    });
  });

const auditEntry = (i) => ({
  kind: 'outcome',
  executionId: `fill-${i.toString(36)}-${((i * 2654435761) >>> 0).toString(16)}`,
  at: 1_700_000_000_000 + i * 17,
  tool: `fill_${i % 500}`,
  version: '1.0.0',
  tier: 'read_only',
  userId: `user-${i % 1000}`,
  agentId: 'agent',
  sessionId: `session-${i % 5000}`,
  status: 'success',
  code: '',
  durationMs: 1,
  costMicros: 0,
  detail: { input: { a: i, b: 2 }, attempts: 1 },
});

/** Through the store's own door, many at once, so that they share the syncs. */
const fillAudit = async (audit, rows) => {
  for (let done = 0; done < rows; done += 5000) {
    const batch = Math.min(5000, rows - done);
    await Promise.all(Array.from({ length: batch }, (_, i) => audit.append(auditEntry(done + i))));
  }
};

const storeOf = (store, folder) => {
  if (store === 'memory' || typeof store === 'object') return store;
  return { sqlite: join(folder, 'crib.db') };
};

export const openCrib = async ({ store, folder, rows = 0, tools = 0, syncEveryRecord = false }) => {
  const { createCrib, defineTool } = await loadProduct();
  const crib = await createCrib({
    store: storeOf(store, folder),
    tools: [...adders(defineTool), ...manyTools(defineTool, tools)],
    builtins: false,
    config: { budget: { dailyUsd: 1000 }, audit: { syncEveryRecord } },
  });
  await fillAudit((await crib.store()).audit, rows);
  return crib;
};
