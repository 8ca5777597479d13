import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import { createRuntime } from '../../crib/create-runtime.ts';

const readiness = (await (await testCrib([])).health.sandboxes()).find(
  ({ type }) => type === 'process',
);
const canMeasure = readiness?.ready === true && process.platform === 'linux';
if (!canMeasure) console.log('Skipped: no process sandbox that can be measured on this machine');

const root = await mkdtemp(join(tmpdir(), 'toolcrib-usage-'));
await writeFile(join(root, 'large'), '');
// Nothing but zeros, which take no space: reading them takes time.
await truncate(join(root, 'large'), 300_000_000);
afterAll(() => rm(root, { recursive: true, force: true }));

describe.skipIf(!canMeasure)('what sandboxed runs take', () => {
  it('processor time and memory of a program reach the record and the figures', async () => {
    const run = ((_input: unknown, { exec }: ToolContext) => exec('sha256sum', ['large'])) as never;
    const tool = aTool({ name: 'busy', needs: { commands: ['sha256sum **'] }, run });
    const crib = await testCrib([tool, aTool()], { root, runtime: createRuntime() });
    try {
      const result = await crib.execute('busy', {});
      await crib.execute('echo', {});
      expect(result.error).toBeUndefined();
      const [row] = await crib.audit.query({ tool: 'busy', kind: 'outcome' });
      expect(row?.detail.cpuMs).toBeGreaterThanOrEqual(20);
      expect(row?.detail.peakMemoryBytes).toBeGreaterThan(100_000);
      const { cpuMs, peakMemoryBytes } = row?.detail ?? {};
      expect(result.metadata).toMatchObject({ cpuMs, peakMemoryBytes });
      const range = { from: 0, to: Date.now() + 60_000 };
      const { resourceUtilization } = await crib.metrics.summary({ ...range, tool: 'busy' });
      expect(resourceUtilization).toEqual({ cpuMs, peakMemoryBytes });
      const { totalResourcesUsed } = await crib.chains.execute([
        { tool: 'busy', input: {} },
        { tool: 'echo', input: {} },
      ]);
      expect(totalResourcesUsed.cpuMs).toBeGreaterThanOrEqual(20);
      expect(totalResourcesUsed.peakMemoryBytes).toBeGreaterThan(100_000);
      const [plain] = await crib.audit.query({ tool: 'echo', kind: 'outcome' });
      expect(plain?.detail).not.toHaveProperty('cpuMs');
    } finally {
      await crib.close();
    }
  });
});
