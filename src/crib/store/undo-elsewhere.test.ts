/** Undo in a crib whose store other machines share: files are restored where the call changed them. */
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import { ALLOW_ALL } from '../../../test/fixtures/vendors/vendor-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Tool } from '../../contract/tool.ts';
import { defineQueryDatabase } from '../../tools/database/query-database.ts';

const removeFile = aTool({
  name: 'remove_file',
  tier: 'write',
  needs: { paths: [{ path: '.', access: 'write' }] },
  run: (async ({ path }: { path: string }, { fs }: ToolContext) => fs.remove(path)) as never,
});

const sent: string[] = [];

/** What it does can be taken back from any machine. */
const sendMail = aTool({
  name: 'send_mail',
  tier: 'write',
  run: (async () => 'sent') as never,
  undo: async () => void sent.push('recalled'),
} as never);

describe.skipIf(isPostgresMissing())('undo of a call of another machine', () => {
  const { open, newSchema } = usePostgres();
  let root: string;
  const opened: (() => Promise<unknown>)[] = [];
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'undo-elsewhere-')));
  });
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
    rmSync(root, { recursive: true });
  });

  /** Opens a crib at a place. Both machines of a test have the same paths. */
  const cribAt = async (place: string, schema: string): Promise<TestCrib> => {
    const store = await open({ schema, place });
    const database = defineQueryDatabase();
    const crib = await testCrib([removeFile, sendMail, database as unknown as Tool], {
      root,
      store,
      policy: ALLOW_ALL,
    });
    opened.push(
      () => crib.close(),
      () => store.close(),
    );
    return crib;
  };

  const cribsAt = async (...places: readonly [string, string]) => {
    const schema = newSchema();
    return { one: await cribAt(places[0], schema), other: await cribAt(places[1], schema) };
  };

  it('is refused, changes nothing, and keeps the copy for the machine of the call', async () => {
    const { one, other } = await cribsAt('id-1 alpha', 'id-2 beta');
    const notes = join(root, 'notes.md');
    writeFileSync(notes, 'only here');
    const { metadata } = await one.execute('remove_file', { path: 'notes.md' });
    expect(await other.executions.isUndoable(metadata.executionId)).toBe(false);
    expect((await other.executions.undo(metadata.executionId)).error).toMatchObject({
      code: 'CONFLICT',
      message: 'The call changed files of alpha; nothing was undone.',
      suggestions: ['Undo it on alpha.'],
    });
    expect(existsSync(notes)).toBe(false);
    expect(await one.executions.isUndoable(metadata.executionId)).toBe(true);
    expect((await one.executions.undo(metadata.executionId)).success).toBe(true);
    expect(readFileSync(notes, 'utf8')).toBe('only here');
  });

  it('is done by another process of the same place, whatever its host is called', async () => {
    const { one, other } = await cribsAt('id-1 pod-a', 'id-1 pod-b');
    writeFileSync(join(root, 'notes.md'), 'shared');
    const { metadata } = await one.execute('remove_file', { path: 'notes.md' });
    expect(await other.executions.isUndoable(metadata.executionId)).toBe(true);
    expect((await other.executions.undo(metadata.executionId)).success).toBe(true);
    expect(readFileSync(join(root, 'notes.md'), 'utf8')).toBe('shared');
  });

  it('is refused when the undo of the tool itself works on files, and done when it does not', async () => {
    const { one, other } = await cribsAt('id-1 host', 'id-2 host');
    const db = new DatabaseSync(join(root, 'shop.db'));
    db.exec("CREATE TABLE items (name TEXT); INSERT INTO items VALUES ('lamp')");
    const input = { path: 'shop.db', query: 'DELETE FROM items', mode: 'write' };
    const change = await one.execute('query_database', input);
    expect(await other.executions.isUndoable(change.metadata.executionId)).toBe(false);
    const { error } = await other.executions.undo(change.metadata.executionId);
    expect(error?.code).toBe('CONFLICT');
    expect(db.prepare('SELECT count(*) AS n FROM items').get()).toEqual({ n: 0 });
    expect((await one.executions.undo(change.metadata.executionId)).success).toBe(true);
    db.close();
    const mail = await one.execute('send_mail', {});
    expect((await other.executions.undo(mail.metadata.executionId)).success).toBe(true);
    expect(sent).toEqual(['recalled']);
  });
});
