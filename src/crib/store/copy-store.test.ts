/** What goes on in a copied store where the old one has stopped. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../test/conformance/store-samples.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { FlowRun, JournalStep } from '../../contract/flow-store.ts';
import type { Store } from '../../contract/store.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { createRuntime } from '../create-runtime.ts';
import { copyStore } from './copy-store.ts';

const RUN: FlowRun = {
  ...{ id: 'run', epoch: 1, flow: 'report', version: '1.0.0', input: {}, caller: LOCAL_CALLER },
  ...{ status: 'running', createdAt: NOW, updatedAt: NOW },
};

const tookEvent = (eventId: number): JournalStep => ({
  ...{ key: `${eventId}`, kind: 'event', name: 'go', digest: 'd', state: 'done' },
  ...{ startedAt: NOW, eventId },
});

const send = ({ flows }: Store, name: string): Promise<boolean> =>
  flows.send(RUN.id, { name, payload: name, at: NOW });

describe.skipIf(isPostgresMissing())('a run in a store that was copied to PostgreSQL', () => {
  const { url, open, newSchema } = usePostgres();
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-copy-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Opens the copy of a store in which this was done. */
  const copyOf = async (work: (store: Store) => Promise<unknown>): Promise<Store> => {
    const runtime = createRuntime();
    const path = join(folder, 'state.db');
    const source = await createSqliteStore({ path, runtime });
    await source.flows.create(RUN);
    await work(source);
    await source.close();
    const schema = newSchema();
    await copyStore({ from: { path }, to: url(), schema, runtime, place: 'here' });
    return open({ schema });
  };

  it('gets an event that is new to it after its steps have taken all earlier ones', async () => {
    const store = await copyOf(async (source) => {
      for (const id of [1, 2]) {
        await send(source, 'go');
        await source.flows.record(RUN, [tookEvent(id)]);
      }
    });
    expect(await send(store, 'on')).toBe(true);
    const taken = (await store.flows.steps(RUN.id)).map(({ eventId }) => eventId);
    expect(taken).toEqual([1, 2]);
    expect(await store.flows.events(RUN.id)).toMatchObject([{ id: 3, name: 'on' }]);
    await store.close();
  });

  it('gets events in the order in which they were sent, before the copy and after it', async () => {
    const store = await copyOf(async (source) => {
      for (const name of ['go', 'wait', 'go']) await send(source, name);
      await source.flows.record(RUN, [tookEvent(3)]);
    });
    expect(await send(store, 'on')).toBe(true);
    const events = await store.flows.events(RUN.id);
    expect(events.map(({ id, name }) => `${id} ${name}`)).toEqual(['1 go', '2 wait', '4 on']);
    await store.close();
  });

  it('gets its first event after the copy of a store that never had one', async () => {
    const store = await copyOf(async () => undefined);
    expect(await send(store, 'go')).toBe(true);
    expect(await store.flows.events(RUN.id)).toMatchObject([{ id: 1, name: 'go' }]);
    await store.close();
  });
});
