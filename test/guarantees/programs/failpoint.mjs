// Makes one call and dies by its own hand at the place it is told to, as a power cut would.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime } from '../../../dist/crib/create-runtime.js';
import { createCrib, defineTool } from '../../../dist/index.js';
import { createSqliteStore } from '../../../dist/stores/sqlite/create-sqlite-store.js';

const [root, failpoint, idempotencyKey] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
const at = (name) => {
  if (name === failpoint) die();
};

const real = await createSqliteStore({
  path: join(root, 'state/state.db'),
  runtime: createRuntime(),
});
const wrap = (part, method, around) =>
  new Proxy(part, {
    get: (target, name) => {
      const value = target[name];
      if (typeof value !== 'function') return value;
      const bound = value.bind(target);
      return name === method ? (...args) => around(bound, args) : bound;
    },
  });
const store = {
  ...real,
  close: () => real.close(),
  ledger: wrap(real.ledger, 'reserve', async (reserve, args) => {
    const outcome = await reserve(...args);
    at('after reserve');
    return outcome;
  }),
  audit: wrap(
    wrap(real.audit, 'append', async (append, args) => {
      const isOutcome = args[0].kind === 'outcome';
      if (isOutcome) at('after effect, before record');
      const written = append(...args);
      if (isOutcome) at('during append of the outcome');
      await written;
      if (isOutcome) at('after record, before acknowledgement');
    }),
    'intend',
    async (intend, args) => {
      const written = intend(...args);
      at('during append of the intent');
      await written;
      at('after intent, before effect');
    },
  ),
};

const act = defineTool({
  name: 'act',
  description: 'Leaves one line in the world.',
  tier: 'write',
  cost: { model: 'usage_based', fixed: 0.01 },
  input: { type: 'object' },
  run: ({ word }) => {
    at('before effect');
    appendFileSync(join(root, 'world.txt'), `${word}\n`);
    at('after effect');
    return { word };
  },
});

const crib = await createCrib({ root, builtins: false, tools: [act], store });
const options = idempotencyKey === undefined ? {} : { idempotencyKey };
const result = await crib.execute('act', { word: idempotencyKey ?? 'plain' }, options);
process.stdout.write(
  `result ${JSON.stringify({ status: result.status, code: result.error?.code, cached: result.metadata.cached })}\n`,
);
await crib.close();
