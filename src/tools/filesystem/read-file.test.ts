/** read_file: exact content, chosen lines, binary files, and everything it must not read. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { readFile } from './read-file.ts';

let workspace: Workspace;
const read = (input: unknown) => runTool(readFile, input, workspace.contextFor(readFile));

beforeEach(() => {
  workspace = createWorkspace({ 'notes.txt': 'one\ntwo\nthree\n' });
});
afterEach(() => workspace.remove());

describe('read_file examples', () => {
  it.each(titlesOf(readFile))('the example "%s" gives the documented result', async (title) => {
    await runExample(readFile, title, workspace.contextFor(readFile));
  });
});

describe('read_file content', () => {
  it('keeps byte order mark and line ends', async () => {
    workspace.put('bom.txt', '\ufeffa\r\nb\rc\n');
    expect(await read({ path: 'bom.txt' })).toEqual({
      path: 'bom.txt',
      content: '\ufeffa\r\nb\rc\n',
      size: 10,
      mimeType: 'text/plain',
      encoding: 'utf8',
      lines: 2,
    });
    expect(await read({ path: 'bom.txt', offset: 1, limit: 1 })).toMatchObject({
      content: '\ufeffa\r\n',
    });
  });

  it('reads an empty file, and past the end', async () => {
    workspace.put('empty', '');
    expect(await read({ path: 'empty' })).toMatchObject({ content: '', size: 0, lines: 0 });
    expect(await read({ path: 'notes.txt', offset: 9 })).toMatchObject({ content: '', lines: 3 });
    expect(await read({ path: 'notes.txt', offset: 3 })).toMatchObject({ content: 'three\n' });
  });

  it('knows media types, and guesses by the content', async () => {
    workspace.put('a.JSON', '{}');
    workspace.put('logo.png', Buffer.from([0x89, 0x50, 0]));
    workspace.put('constructor', 'x');
    workspace.put('blob', Buffer.from([0xff, 0xfe]));
    const typeOf = async (path: string) => (await read({ path, encoding: 'base64' })).mimeType;
    expect(await typeOf('a.JSON')).toBe('application/json');
    expect(await typeOf('logo.png')).toBe('image/png');
    expect(await typeOf('constructor')).toBe('text/plain');
    expect(await typeOf('blob')).toBe('application/octet-stream');
  });

  it.each([
    ['a NUL', Buffer.from('a\0b')],
    ['broken UTF-8', Buffer.from([0x61, 0xff, 0x62])],
  ])('refuses %s as text and says what to do', async (_what, bytes) => {
    workspace.put('x.bin', bytes);
    await expect(read({ path: 'x.bin' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extras: { suggestions: [expect.stringContaining('base64')] },
    });
    const { content } = await read({ path: 'x.bin', encoding: 'base64' });
    expect(Buffer.from(content, 'base64')).toEqual(bytes);
  });
});

describe('read_file refusals', () => {
  it.each([
    [{ path: '../x' }, 'SECURITY_VIOLATION'],
    [{ path: '/etc/passwd' }, 'SECURITY_VIOLATION'],
    [{ path: 'link' }, 'SECURITY_VIOLATION'],
    [{ path: '.env' }, 'PERMISSION_DENIED'],
    [{ path: 'missing' }, 'NOT_FOUND'],
    [{ path: '.' }, 'CONFLICT'],
    [{ path: 'notes.txt', encoding: 'base64', limit: 1 }, 'VALIDATION_ERROR'],
  ])('answers %j with %s', async (input, code) => {
    symlinkSync('/etc/passwd', join(workspace.root, 'link'));
    workspace.put('.env', 'KEY=canary');
    await expect(read(input)).rejects.toMatchObject({ code });
  });

  it.each([{}, { path: '' }, { path: 'a', extra: 1 }, { path: 'a', offset: 0 }, { path: 7 }])(
    'does not take %j',
    async (input) => {
      await expect(read(input)).rejects.toMatchObject({ name: 'ZodError' });
    },
  );
});
