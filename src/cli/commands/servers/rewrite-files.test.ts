import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readClientText } from '../../../config/mcp-import/read-client-text.ts';
import { replaceFile } from '../../../kit/file/replace-file.ts';
import { rewriteFile } from './rewrite-files.ts';

vi.mock('../../../kit/file/replace-file.ts', { spy: true });

const TEXT = '{"mcpServers": {"a": {"command": "a"}}}';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rewrite-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rewriting = () => {
  const file = join(folder, 'mcp.json');
  writeFileSync(file, TEXT);
  const around = { client: undefined, home: folder, folder };
  const reading = readClientText(TEXT, around);
  const found = { client: undefined, file, isProject: false, text: TEXT, reading };
  return { file, done: rewriteFile(found, { now: 0, stays: () => false, env: {}, cwd: '/' }) };
};

describe('rewriting a file', () => {
  it('keeps a copy of the file with the time in its name', async () => {
    const { file, done } = rewriting();
    expect(await done).toEqual({ file, backup: `${file}.toolcrib-19700101T000000Z.bak` });
    expect(readFileSync((await done).backup, 'utf8')).toBe(TEXT);
  });

  it('leaves no copy beside a file that could not be changed', async () => {
    const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    vi.mocked(replaceFile).mockRejectedValueOnce(full);
    const { file, done } = rewriting();
    await expect(done).rejects.toBe(full);
    expect(readdirSync(folder)).toEqual(['mcp.json']);
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
  });
});
