/** A process loses a run in the moment in which that is taken from it to be cancelled. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { Store } from '../contract/store.ts';
import { createCribHost } from '../crib/create-crib.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const gate = () => {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
};

/** A store that says that a run was taken once its process has written in vain and looked why. */
const storeTakingSlowly = (write: () => void): Store => {
  const store = createMemoryStore();
  const { flows } = store;
  const [change, record, get] = [
    flows.change.bind(flows),
    flows.record.bind(flows),
    flows.get.bind(flows),
  ];
  const noticed = gate();
  let isRefused = false;
  flows.record = (...args) =>
    record(...args).catch((cause: unknown) => {
      isRefused = true;
      throw cause;
    });
  flows.get = async (runId) => {
    const run = await get(runId);
    if (isRefused) setImmediate(noticed.open);
    return run;
  };
  flows.change = async (runId, next, options) => {
    const isChanged = await change(runId, next, options);
    if (next.status === 'sleeping') {
      write();
      await noticed.passed;
    }
    return isChanged;
  };
  return { ...store, close: async () => undefined };
};

describe('a changing call of a run that is cancelled', () => {
  it.each(['its own process', 'another process'])(
    'is aborted although its turn was lost before the run counted as cancelled by %s',
    async (canceller) => {
      const step = gate();
      const end = gate();
      const log: string[] = [];
      const deploy = defineTool({
        name: 'deploy',
        description: 'Takes its time.',
        tier: 'write',
        input: z.object({}),
        run: async (_input, { signal }) => {
          log.push('begun');
          signal.addEventListener('abort', () => log.push('aborted'));
          signal.addEventListener('abort', end.open);
          await end.passed;
        },
      });
      const store = storeTakingSlowly(step.open);
      const open = async () => {
        const crib = await createCribHost({
          store,
          builtins: false,
          tools: [deploy],
          policy: { version: 1, rules: [{ name: 'all', effect: 'allow', tools: ['*'] }] },
        });
        cleanup.push(() => crib.close());
        return crib;
      };
      const worker = await open();
      const other = canceller === 'its own process' ? worker : await open();
      worker.flows.register(
        defineFlow({
          name: 'release',
          version: '1.0.0',
          run: (flow) =>
            Promise.all([flow.call(deploy, {}), flow.value('beside', () => step.passed)]),
        }),
      );
      await worker.flows.start('release', {}, { runId: 'run' });
      cleanup.push(end.open);
      await expect.poll(() => log).toEqual(['begun']);
      expect(await other.flows.cancel('run')).toBe(true);
      await expect.poll(() => log).toEqual(['begun', 'aborted']);
      expect(await worker.flows.get('run')).toMatchObject({ status: 'cancelled' });
    },
  );
});
