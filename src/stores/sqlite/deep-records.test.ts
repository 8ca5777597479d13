/** JSON that is nested deeper than SQLite reads (1,000 levels): flows keep what their code makes of an answer. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOW } from '../../../test/conformance/store-samples.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createSqliteStore } from './create-sqlite-store.ts';

const LEVELS = 1500;
const DEEP = `${'['.repeat(LEVELS)}{"eventId":2}${']'.repeat(LEVELS)}`;

const RUN: FlowRun = {
  ...{ id: 'run', epoch: 1, flow: 'report', version: '1.0.0', caller: LOCAL_CALLER },
  ...{ input: JSON.parse(DEEP), status: 'running', createdAt: NOW, updatedAt: NOW },
};

describe('a run whose record is nested too deep for SQLite', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolcrib-deep-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = () =>
    createSqliteStore({ path: join(folder, 'state.db'), runtime: createRuntime() });

  it('is told from runs that another process has taken over, and keeps none of them from it', async () => {
    const store = await open();
    await store.flows.create(RUN);
    const other = { ...RUN, id: 'other', input: {} };
    await store.flows.create(other);
    await store.flows.change('other', { status: 'cancelled', updatedAt: NOW });
    expect(await store.flows.lost([RUN, other])).toEqual(['other']);
    await store.close();
  });

  it('hostile: does not keep the store of an earlier version from being opened', async () => {
    await (await open()).close();
    const database = await openDatabase(join(folder, 'state.db'));
    const deep = `{"key":"1","kind":"value","state":"done","value":${DEEP}}`;
    const taken = '{"key":"2","kind":"event","state":"done","eventId":1}';
    database.exec(`PRAGMA user_version = 11;
      INSERT INTO flow_events (run_id, record) VALUES ('a', '{}'), ('a', '{}');
      INSERT INTO flow_steps (run_id, key, record) VALUES ('a', '1', '${deep}'), ('a', '2', '${taken}')`);
    database.close();
    const store = await open();
    expect(await store.flows.events('a')).toEqual([{ id: 2 }]);
    await store.close();
  });
});
