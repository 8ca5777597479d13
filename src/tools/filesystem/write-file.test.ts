/** write_file: encodings, directories, overwriting, snapshots, and everything it must not write. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { writeFile } from './write-file.ts';

let workspace: Workspace;
const write = (input: unknown) => runTool(writeFile, input, workspace.contextFor(writeFile));

beforeEach(() => {
  workspace = createWorkspace({ 'a.txt': 'old' });
});
afterEach(() => workspace.remove());

describe('write_file examples', () => {
  it.each(titlesOf(writeFile))('the example "%s" gives the documented result', async (title) => {
    await runExample(writeFile, title, workspace.contextFor(writeFile));
  });
});

describe('write_file', () => {
  it('replaces a file and keeps the old one', async () => {
    expect(await write({ path: './a.txt', content: 'neu: ü\r\n' })).toEqual({
      path: 'a.txt',
      bytesWritten: 9,
      created: false,
    });
    expect(workspace.text('a.txt')).toBe('neu: ü\r\n');
    expect(String(Buffer.from(workspace.snapshots[0]?.before ?? []))).toBe('old');
  });

  it('refuses to overwrite, or to make directories, when the input says so', async () => {
    await expect(write({ path: 'a.txt', content: 'x', overwrite: false })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await expect(write({ path: 'b/c', content: 'x', createDirs: false })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(workspace.text('a.txt')).toBe('old');
    expect(existsSync(join(workspace.root, 'b'))).toBe(false);
  });

  it('stores the bytes that base64 encodes', async () => {
    await write({ path: 'x', content: 'AP+A\n', encoding: 'base64' });
    expect(readFileSync(join(workspace.root, 'x'))).toEqual(Buffer.from([0, 255, 128]));
    await write({ path: 'x', content: '', encoding: 'base64' });
    expect(workspace.text('x')).toBe('');
  });

  it.each([
    { content: 'not base64!', encoding: 'base64' },
    { content: 'A', encoding: 'base64' },
    { content: 'QUJD=QUJD', encoding: 'base64' },
    { content: 'ü', encoding: 'ascii' },
  ])('alters nothing silently: %j', async (part) => {
    await expect(write({ path: 'a.txt', ...part })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(workspace.text('a.txt')).toBe('old');
  });

  it.each([
    ['../x', 'SECURITY_VIOLATION'],
    ['/tmp/x', 'SECURITY_VIOLATION'],
    ['.env', 'PERMISSION_DENIED'],
    ['.git/hooks/pre-commit', 'PERMISSION_DENIED'],
    ['.toolcrib/config.yml', 'PERMISSION_DENIED'],
    ['.', 'CONFLICT'],
  ])('answers %s with %s', async (path, code) => {
    await expect(write({ path, content: 'canary' })).rejects.toMatchObject({ code });
    expect(workspace.snapshots).toEqual([]);
  });

  it('does not take unknown fields or a missing content', async () => {
    await expect(write({ path: 'a' })).rejects.toMatchObject({ name: 'ZodError' });
    await expect(write({ path: 'a', content: '', mode: 511 })).rejects.toMatchObject({
      name: 'ZodError',
    });
  });
});
