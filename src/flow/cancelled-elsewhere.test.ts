/** A run that another process cancels: what this process does for it ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import { createCribHost } from '../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

describe('a run that another process cancels', () => {
  it('ends the call that is under way within seconds', async () => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-cancel-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    let letGo = (): void => undefined;
    const calls: string[] = [];
    const scrape = defineTool({
      name: 'scrape',
      description: 'Takes its time.',
      tier: 'read_only',
      input: z.object({}),
      run: async (_input, { signal }) => {
        calls.push('begun');
        await new Promise<void>((resolve) => {
          letGo = resolve;
          signal.addEventListener('abort', () => {
            calls.push('aborted');
            resolve();
          });
        });
      },
    });
    const open = async () => {
      const crib = await createCribHost({
        root,
        home: join(root, 'home'),
        builtins: false,
        tools: [scrape],
        store: { sqlite: join(root, 'state.db') },
      });
      cleanup.push(() => crib.close());
      return crib;
    };
    const [worker, other] = [await open(), await open()];
    worker.flows.register(
      defineFlow({
        name: 'scrapes',
        version: '1.0.0',
        run: (flow) => flow.call(scrape, {}),
      }),
    );
    const { finished } = await worker.flows.start('scrapes', {}, { runId: 'run' });
    cleanup.push(() => letGo());
    await expect.poll(() => calls).toEqual(['begun']);
    expect(await other.flows.cancel('run')).toBe(true);
    await expect.poll(() => calls, { timeout: 5_000 }).toEqual(['begun', 'aborted']);
    expect((await finished).status).toBe('cancelled');
  });
});
