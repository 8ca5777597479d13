/** What is too much, too deep or changing under the hand is not deployed. */
import { describe, expect, it } from 'vitest';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import type { FileAccess, FileInfo } from '../../contract/context.ts';
import { collectFiles } from './collect-files.ts';
import { VercelApi } from './vercel-api.ts';

const entry = (path: string, kind: FileInfo['kind'], size = 1): FileInfo => ({
  path,
  kind,
  size,
  modifiedMs: 0,
});

const collect = (list: FileAccess['list'], signal = new AbortController().signal) => {
  const { fs } = fakeContext();
  return collectFiles('p', { fs: { ...fs, list, read: async () => new Uint8Array(1) }, signal });
};

describe('the files of a project', () => {
  it.each<[string, FileAccess['list']]>([
    ['too many', async () => Array.from({ length: 5001 }, (_, at) => entry(`p/${at}`, 'file'))],
    ['too large', async () => [entry('p/a', 'file', 60_000_000), entry('p/b', 'file', 60_000_000)]],
    ['too deep', async (path) => [entry(`${path}/d`, 'directory')]],
    ['nothing', async () => [entry('p/link', 'other'), entry('p/.env', 'file')]],
  ])('hostile: %s is refused', async (_what, list) => {
    await expect(collect(list)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extras: { issues: [{ path: ['projectPath'] }] },
    });
  });

  it('are no longer collected when the call is cancelled', async () => {
    const work = collect(async () => [entry('p/a', 'file')], AbortSignal.abort());
    await expect(work).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('hostile: a file that changed since it was looked at is not sent', async () => {
    const { fs } = fakeContext();
    const context = fakeContext({ fs: { ...fs, read: async () => new Uint8Array(2) } });
    const api = new VercelApi(context, 'https://api.example.com', undefined);
    const file = {
      file: 'a',
      path: 'p/a',
      sha: 'da39a3ee5e6b4b0d3255bfef95601890afd80709',
      size: 0,
    };
    await expect(api.upload(file)).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
