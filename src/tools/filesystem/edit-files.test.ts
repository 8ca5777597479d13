/** edit_files: exact places, all or none, differences, and undo of what a failed call wrote. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import type { FileAccess } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { restoreSnapshot } from '../../governance/paths/restore-snapshot.ts';
import { editFiles } from './edit-files.ts';

let workspace: Workspace;

const edit = (input: unknown, change: (fs: FileAccess) => Partial<FileAccess> = () => ({})) => {
  const { fs } = workspace.contextFor(editFiles);
  const context = workspace.contextFor(editFiles, { fs: { ...fs, ...change(fs) } });
  return runTool(editFiles, input, context);
};

beforeEach(() => {
  workspace = createWorkspace({
    'notes.txt': 'one\ntwo\nthree\n',
    'a.txt': 'alpha\n',
    'b.txt': 'beta\n',
    'c.json': '{"n": 1}\n',
    'd.yaml': 'n: 1\n',
  });
});
afterEach(() => workspace.remove());

const one = (path: string, oldText: string, newText: string) => ({
  files: [{ path, edits: [{ oldText, newText }] }],
});

const failing = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

describe('edit_files examples', () => {
  it.each(titlesOf(editFiles))('the example "%s" gives the documented result', async (title) => {
    await runExample(editFiles, title, workspace.contextFor(editFiles));
  });
});

describe('edit_files', () => {
  it('applies edits in order, each to what the one before left', async () => {
    const edits = [
      { oldText: 'one', newText: 'two' },
      { oldText: 'two', newText: '2', occurrence: 'all' },
    ];
    const result = await edit({ files: [{ path: 'notes.txt', edits }] });
    expect(workspace.text('notes.txt')).toBe('2\n2\nthree\n');
    expect(result.files[0]).toMatchObject({ replacements: 3, additions: 2, deletions: 2 });
    expect(result.files[0]?.diff).toContain('-one\n-two\n+2\n+2\n three\n');
  });

  it('takes the new text literally', async () => {
    await edit(one('a.txt', 'alpha', "$& $1 $' \\n"));
    expect(workspace.text('a.txt')).toBe("$& $1 $' \\n\n");
  });

  it('keeps byte order mark and CR LF, though the edit comes with LF', async () => {
    workspace.put('dos.txt', '\ufeffa\r\nb\r\nc\r\n');
    await edit(one('dos.txt', 'a\nb\n', 'x\ny\n'));
    expect(workspace.text('dos.txt')).toBe('\ufeffx\r\ny\r\nc\r\n');
    workspace.put('mixed.txt', 'a\r\nb\n');
    await expect(edit(one('mixed.txt', 'a\nb', 'x'))).rejects.toEqual(
      failing('CONFLICT', /not in/),
    );
  });

  it('names the place, not the content, of an edit that does not fit', async () => {
    const files = [
      { path: 'a.txt', edits: [{ oldText: 'alpha', newText: 'x' }] },
      {
        path: 'notes.txt',
        edits: [
          { oldText: 'one', newText: '1' },
          { oldText: 'canary', newText: '' },
        ],
      },
    ];
    const error = await edit({ files }).catch((thrown: ToolFailure) => thrown);
    expect(error).toEqual(
      failing('CONFLICT', /^files\[1\]\.edits\[1\]: oldText is not in the file/),
    );
    expect((error as ToolFailure).message).not.toContain('canary');
    await expect(edit(one('notes.txt', 'e', 'x'))).rejects.toEqual(
      failing('CONFLICT', /^files\[0\]\.edits\[0\]: oldText occurs 3 times/),
    );
    expect(workspace.snapshots).toEqual([]);
    expect(workspace.text('a.txt')).toBe('alpha\n');
  });

  it('writes nothing in a preview', async () => {
    const result = await edit({ ...one('a.txt', 'alpha', 'x'), preview: true });
    expect(result).toMatchObject({
      written: false,
      files: [{ diff: expect.stringContaining('+x') }],
    });
    expect(workspace.text('a.txt')).toBe('alpha\n');
    expect(workspace.snapshots).toEqual([]);
  });

  it('refuses to name a file twice, also under two spellings', async () => {
    const edits = [{ oldText: 'alpha', newText: 'x' }];
    const files = [
      { path: 'a.txt', edits },
      { path: './a.txt', edits },
    ];
    await expect(edit({ files })).rejects.toEqual(failing('VALIDATION_ERROR', /named twice/));
  });
});

describe('validateChanges', () => {
  it.each([
    ['c.json', '{', ''],
    ['d.yaml', 'n: 1', 'n: ['],
    ['a.txt', 'alpha', 'alpha'],
  ])('refuses to break %s, unless told not to look', async (path, oldText, newText) => {
    await expect(edit(one(path, oldText, newText))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(workspace.snapshots).toEqual([]);
    await edit({ ...one(path, oldText, newText), validateChanges: false });
    expect(workspace.text(path)).toContain(newText);
  });

  it('accepts an edit of a file that could not be parsed before', async () => {
    workspace.put('tsconfig.json', '{ // comment\n}\n');
    await edit(one('tsconfig.json', 'comment', 'remark'));
    expect(workspace.text('tsconfig.json')).toContain('remark');
  });
});

describe('edit_files writes all files or none', () => {
  const three = {
    files: ['a.txt', 'b.txt', 'notes.txt'].map((path) => ({
      path,
      edits: [{ oldText: 't', newText: 'T', occurrence: 'all' }],
    })),
  };
  three.files[0] = {
    path: 'a.txt',
    edits: [{ oldText: 'alpha', newText: 'A', occurrence: 'all' }],
  };

  it('takes back what it wrote when a later write fails', async () => {
    const failOn = (fs: FileAccess): Partial<FileAccess> => ({
      write: (path, data, options) =>
        path === 'notes.txt'
          ? Promise.reject(new ToolFailure('EXECUTION_FAILED', 'The disk is full.'))
          : fs.write(path, data, options),
    });
    await expect(edit(three, failOn)).rejects.toMatchObject({ message: 'The disk is full.' });
    expect(['a.txt', 'b.txt'].map(workspace.text)).toEqual(['alpha\n', 'beta\n']);
  });

  it('takes back what it wrote when a later file was changed meanwhile', async () => {
    const interfere = (fs: FileAccess): Partial<FileAccess> => ({
      write: async (path, data, options) => {
        if (path === 'b.txt') writeFileSync(join(workspace.root, 'notes.txt'), 'theirs');
        return fs.write(path, data, options);
      },
    });
    await expect(edit(three, interfere)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(workspace.text('a.txt')).toBe('alpha\n');
    expect(workspace.text('b.txt')).toBe('beta\n');
    expect(workspace.text('notes.txt')).toBe('theirs');
  });

  it('says so when it could not take back, and undo still can', async () => {
    let writes = 0;
    const breakDown = (fs: FileAccess): Partial<FileAccess> => ({
      write: (path, data, options) => {
        writes += 1;
        return writes > 2 ? Promise.reject(new Error('gone')) : fs.write(path, data, options);
      },
    });
    await expect(edit(three, breakDown)).rejects.toEqual(
      failing('EXECUTION_FAILED', /nor could those before it be taken back/),
    );
    expect(workspace.text('a.txt')).toBe('A\n');
    for (const snapshot of [...workspace.snapshots].reverse()) {
      await restoreSnapshot(workspace.guard, snapshot);
    }
    expect(workspace.text('a.txt')).toBe('alpha\n');
  });
});

describe('edit_files refusals', () => {
  it.each([
    ['../x', 'SECURITY_VIOLATION'],
    ['.env', 'PERMISSION_DENIED'],
    ['.git/config', 'PERMISSION_DENIED'],
    ['missing.txt', 'NOT_FOUND'],
    ['bin', 'VALIDATION_ERROR'],
  ])('answers %s with %s', async (path, code) => {
    workspace.put('bin', Buffer.from([0]));
    workspace.put('.git/config', 'a');
    await expect(edit(one(path, 'a', 'b'))).rejects.toMatchObject({ code });
  });

  it.each([
    { files: [] },
    { files: [{ path: 'a.txt', edits: [] }] },
    one('a.txt', '', 'x'),
    { ...one('a.txt', 'a', 'x'), dryRun: true },
  ])('does not take %j', async (input) => {
    await expect(edit(input)).rejects.toMatchObject({ name: 'ZodError' });
  });
});
