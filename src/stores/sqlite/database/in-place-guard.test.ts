/** Threat: a backup is put in the place of the database while a process writes to it. */
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry, intentEntry } from '../../../../test/conformance/store-samples.ts';
import type { Store } from '../../../contract/store.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { verifyAudit } from '../../../governance/audit/verify-audit.ts';
import { createSqliteStore } from '../create-sqlite-store.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

let root = '';
let elapsed = 0;
let store: Store;
const state = (): string => join(root, 'state');
const file = (ending = ''): string => join(state(), `crib.db${ending}`);

/** Opens a store that has compared its files and has no reason to do so again for 50 ms. */
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-place-'));
  mkdirSync(state());
  const runtime = createRuntime({ elapsed: () => elapsed, log: QUIET });
  store = await createSqliteStore({ path: file(), runtime });
  await store.audit.append(auditEntry());
  // Long ago, so that each change of the folder from now on shows.
  utimesSync(state(), 1, 1);
  elapsed += 1000;
  await store.audit.append(auditEntry());
  elapsed += 30;
  await store.audit.append(auditEntry());
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

const replaceFile = (ending: string): void => {
  copyFileSync(file(ending), join(root, 'copy'));
  renameSync(join(root, 'copy'), file(ending));
};

const replaceFolder = (): void => {
  cpSync(state(), join(root, 'copies'), { recursive: true });
  renameSync(state(), join(root, 'old'));
  renameSync(join(root, 'copies'), state());
};

describe('a store whose files were replaced a moment ago', () => {
  it.each([
    ['the database', () => replaceFile('')],
    ['its write-ahead log', () => replaceFile('-wal')],
    ['their folder', replaceFolder],
  ])(
    'acknowledges no intent and no synced outcome after the change of %s',
    async (_what, replace) => {
      replace();
      elapsed += 1;
      const intent = store.audit.intend([intentEntry('e1')], []);
      await expect(intent).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      const outcome = Promise.resolve(store.audit.append(auditEntry()));
      await expect(outcome).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    },
  );

  it('benign: writes on when another file came to its folder and left it', async () => {
    writeFileSync(file('.backup'), 'a copy');
    await store.audit.intend([intentEntry('e1')], []);
    elapsed += 30;
    rmSync(file('.backup'));
    await store.audit.append(auditEntry({ executionId: 'e1' }));
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 5 });
  });
});
