import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeTrust, readTrustFile, trustFileFault, trustFileIn } from './trust-file.ts';

let userDir: string;

beforeEach(async () => {
  userDir = await mkdtemp(join(tmpdir(), 'toolcrib-trust-file-'));
});

afterEach(() => rm(userDir, { recursive: true, force: true }));

const trusted = { hash: 'h', at: 'now', files: { 'config.yml': 'c' } };

describe('trust.json', () => {
  it('keeps what it is given, project by project, and leaves nothing behind', async () => {
    await changeTrust(userDir, '/a', () => ({ trusted }));
    await changeTrust(userDir, '/b', () => ({ refused: { hash: 'h', at: 'now' } }));
    await changeTrust(userDir, '/a', (entry) => ({
      ...entry,
      refused: { hash: 'x', at: 'later' },
    }));
    const { entries, fault } = await readTrustFile(userDir);
    expect(fault).toBeUndefined();
    expect([...entries]).toEqual([
      ['/a', { trusted, refused: { hash: 'x', at: 'later' } }],
      ['/b', { refused: { hash: 'h', at: 'now' } }],
    ]);
    await changeTrust(userDir, '/a', () => undefined);
    expect([...(await readTrustFile(userDir)).entries.keys()]).toEqual(['/b']);
    expect(await readdir(userDir)).toEqual(['trust.json']);
  });

  it('loses nobody’s entry when another process writes in between', async () => {
    const theirs = JSON.stringify({ projects: { '/theirs': { trusted } } });
    let turn = 0;
    await changeTrust(userDir, '/ours', () => {
      turn += 1;
      if (turn === 1) writeFileSync(trustFileIn(userDir), theirs, { mode: 0o600 });
      return { trusted };
    });
    expect(turn).toBe(2);
    expect([...(await readTrustFile(userDir)).entries.keys()]).toEqual(['/theirs', '/ours']);
  });

  it('gives up, and says so, when others never stop writing', async () => {
    let turn = 0;
    const changed = changeTrust(userDir, '/ours', () => {
      turn += 1;
      const text = JSON.stringify({ projects: { [`/${turn}`]: {} } });
      writeFileSync(trustFileIn(userDir), text, { mode: 0o600 });
      return { trusted };
    });
    await expect(changed).rejects.toThrow('is being written by others all the time');
    expect((await readTrustFile(userDir)).entries.has('/ours')).toBe(false);
  });

  it.each(['', '[]', 'null', '{}', '{"projects":[]}', '{"projects":null}', 'not json'])(
    'says nothing when it holds %j, and is not overwritten',
    async (text) => {
      await writeFile(trustFileIn(userDir), text, { mode: 0o600 });
      const { entries, fault } = await readTrustFile(userDir);
      expect([entries.size, fault]).toEqual([
        0,
        expect.stringMatching(/^is not a list of trusted/),
      ]);
      await expect(changeTrust(userDir, '/a', () => ({ trusted }))).rejects.toThrow(
        'is not a list',
      );
    },
  );

  it.each([
    5,
    null,
    {},
    { trusted: 5 },
    { trusted: { hash: 'h', at: 'now' } },
    { trusted: { hash: 5, at: 'now', files: {} } },
    { trusted: { hash: 'h', files: {} } },
    { refused: { hash: 'h' } },
    { refused: [] },
  ])('takes the entry %j for none', async (entry) => {
    const text = JSON.stringify({ projects: { '/a': entry } });
    await writeFile(trustFileIn(userDir), text, { mode: 0o600 });
    expect((await readTrustFile(userDir)).entries.get('/a')).toEqual({});
  });

  it('drops hashes that are none', async () => {
    const files = { a: 'x', b: 5 };
    const text = JSON.stringify({ projects: { '/a': { trusted: { ...trusted, files } } } });
    await writeFile(trustFileIn(userDir), text, { mode: 0o600 });
    expect((await readTrustFile(userDir)).entries.get('/a')?.trusted?.files).toEqual({ a: 'x' });
  });

  it('is ignored when it belongs to another user or others can write it', () => {
    expect(trustFileFault({ uid: 1000, mode: 0o100600 }, 1000)).toBeUndefined();
    expect(trustFileFault({ uid: 0, mode: 0o100644 }, 1000)).toBeUndefined();
    expect(trustFileFault({ uid: 1001, mode: 0o100600 }, 1000)).toMatch(/another user/);
    expect(trustFileFault({ uid: 1000, mode: 0o100620 }, 1000)).toMatch(/written by others/);
    expect(trustFileFault({ uid: 1000, mode: 0o100602 }, 1000)).toMatch(/written by others/);
    expect(trustFileFault({ uid: 7, mode: 0o100666 }, undefined)).toBeUndefined();
  });

  it('behind a link is not believed', async () => {
    await writeFile(join(userDir, 'real.json'), '{"projects":{}}', { mode: 0o600 });
    await symlink(join(userDir, 'real.json'), trustFileIn(userDir));
    expect((await readTrustFile(userDir)).fault).toMatch(/^cannot be read/);
  });

  it('that cannot be written is told', async () => {
    await mkdir(join(userDir, 'x'));
    await writeFile(join(userDir, 'x', 'file'), '');
    await expect(
      changeTrust(join(userDir, 'x', 'file', 'below'), '/a', () => ({ trusted })),
    ).rejects.toThrow(/trust\.json: cannot be written \(ENOTDIR\)/);
  });
});
