import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeQueue } from '../../../test/conformance/queue.ts';
import type { QueueUnderTest } from '../../../test/conformance/queue-samples.ts';
import type { Queue } from '../../contract/queue.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { createSqliteQueue } from './create-sqlite-queue.ts';

const open = async (): Promise<QueueUnderTest> => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-queue-'));
  const runtime = createRuntime();
  const stores = new Map<Queue, Awaited<ReturnType<typeof createSqliteStore>>>();
  const another = async (): Promise<Queue> => {
    const store = await createSqliteStore({ path: join(folder, 'state.db'), runtime });
    const queue = createSqliteQueue({ ...store.sqlite, runtime });
    stores.set(queue, store);
    return queue;
  };
  const queue = await another();
  return {
    queue,
    another,
    // Without its row an owner counts as dead, as after a crash.
    abandon: async (each) => {
      const { owner } = stores.get(each)?.sqlite ?? {};
      const { database, writer } = stores.get(queue)?.sqlite ?? {};
      const remove = database?.prepare('DELETE FROM owners WHERE id = ?');
      await writer?.write(() => remove?.run(owner?.id ?? ''));
    },
    cleanup: async () => {
      for (const store of stores.values()) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

describeQueue('sqlite', open, { isShared: true });
