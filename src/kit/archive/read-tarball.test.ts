import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  packageTarball,
  type RawEntry,
  rawTar,
  rawTarball,
} from '../../../test/fixtures/tarballs.ts';
import { entryPathFault } from './entry-path.ts';
import { PACKAGE_LIMITS, readTarball } from './read-tarball.ts';
import { writeTar } from './write-tar.ts';

const read = async (entries: readonly RawEntry[]) => readTarball(rawTarball(entries));

const GOOD: RawEntry = { path: 'package/package.json', content: '{}' };
/** The records of a second header, with their lengths. */
const pax = (...records: readonly string[]): RawEntry => ({
  path: 'pax',
  kind: 'x',
  content: records
    .map((record) => {
      const length = record.length + 2;
      return `${length + String(length).length} ${record}\n`.replace(/^\d+/, (text) => text);
    })
    .join(''),
});

describe('readTarball', () => {
  it('gives the files of an archive below its one folder', async () => {
    const files = await readTarball(
      packageTarball({ 'package.json': '{}', 'tools/a.yml': 'a: 1' }),
    );
    expect([...files.keys()]).toEqual(['package.json', 'tools/a.yml']);
    expect(new TextDecoder().decode(files.get('tools/a.yml'))).toBe('a: 1');
  });

  it('reads what writeTar writes, with long names and names beyond ASCII', async () => {
    const paths = [`package/${'long/'.repeat(20)}${'x'.repeat(90)}.ts`, 'package/größe.yml'];
    const pieces: Uint8Array[] = [];
    const entries = paths.map((path) => ({ path, read: async () => Buffer.from(path) }));
    for await (const piece of writeTar(entries, 0o644)) pieces.push(piece);
    const files = await readTarball(gzipSync(Buffer.concat(pieces)));
    expect([...files.keys()].map((path) => `package/${path}`)).toEqual(paths);
  });

  it('skips folders, a dot before the folder, and headers of git', async () => {
    const files = await read([
      {
        path: 'pax_global_header',
        kind: 'g',
        content: '52 comment=0123456789012345678901234567890123456789\n',
      },
      { path: './package/', kind: '5' },
      { path: './package/a.txt', content: 'a', mode: 0o4777 },
    ]);
    expect([...files.keys()]).toEqual(['a.txt']);
  });

  it.each([
    ['a symbolic link', { path: 'package/a', kind: '2', linkTo: '/etc/passwd' }],
    ['a hard link', { path: 'package/a', kind: '1', linkTo: '/etc/passwd' }],
    ['a device', { path: 'package/a', kind: '3' }],
    ['a device', { path: 'package/a', kind: '4' }],
    ['a named pipe', { path: 'package/a', kind: '6' }],
    ['an entry of the kind S', { path: 'package/a', kind: 'S' }],
    ['leads out', { path: 'package/../../a' }],
    ['leads out', { path: '../a' }],
    ['leads out', { path: 'package//a' }],
    ['leads out', { path: 'package/./a' }],
    ['is absolute', { path: '/etc/cron.d/a' }],
    ['is absolute', { path: 'C:/a' }],
    ['Windows does not allow', { path: 'package\\..\\a' }],
    ['Windows does not allow', { path: 'package/a:stream' }],
    ['name of a device', { path: 'package/NUL.txt' }],
    ['name of a device', { path: 'package/aux' }],
    ['ends in a dot', { path: 'package/a./b' }],
    ['ends in a dot', { path: 'package/a ' }],
    ['cannot be seen', { path: 'package/a\u202egpj.ts' }],
    ['cannot be seen', { path: 'package/a\u0001' }],
    ['nested too deep', { path: `package/${'a/'.repeat(30)}b` }],
    ['lies in no folder', { path: 'a.txt' }],
    ['is cut off', { path: 'package/a', size: 100_000 }],
  ] as const)('threat: an archive with an entry that %s is refused', async (reason, entry) => {
    await expect(read([GOOD, entry])).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining(reason),
    });
  });

  it.each([
    ['the same path', 'package/a.txt', 'package/a.txt'],
    ['another case', 'package/a.txt', 'package/A.TXT'],
    ['another case of a folder', 'package/a/b.txt', 'package/A/c.txt'],
    ['a file that is a folder, too', 'package/a', 'package/a/b'],
    ['a folder that is a file, too', 'package/a/b', 'package/a'],
    ['the same letters, composed otherwise', 'package/\u00e9', 'package/e\u0301'],
    ['letters that have one capital', 'package/λόγος', 'package/λόγοσ'],
    ['a letter and the pair that stands for it', 'package/straße', 'package/strasse'],
    ['a letter and a ligature', 'package/ﬁle', 'package/file'],
    ['two roots', 'package/a.txt', 'other/a.txt'],
  ])('threat: two entries with %s are refused', async (_what, first, second) => {
    await expect(read([{ path: first }, { path: second }])).rejects.toThrow('was refused');
  });

  it('threat: a second header cannot lead out, name a link or change a size', async () => {
    const outside = [pax('path=package/../../x'), { path: 'package/a', content: 'x' }];
    await expect(read(outside)).rejects.toThrow('leads out');
    await expect(read([pax('linkpath=/etc'), GOOD])).rejects.toThrow('sets linkpath');
    await expect(read([pax('size=9'), GOOD])).rejects.toThrow('sets size');
    await expect(read([{ path: 'p', kind: 'x', content: 'no records' }, GOOD])).rejects.toThrow(
      'headers cannot be read',
    );
    const all = { path: 'p', kind: 'g', content: '17 path=package/a\n'.replace('17', '18') };
    await expect(read([all, GOOD])).rejects.toThrow('names all files alike');
    await expect(
      read([{ path: 'p', kind: 'x', content: 'x'.repeat(70_000) }, GOOD]),
    ).rejects.toThrow('header that is too large');
  });

  it('threat: bombs are refused before they are unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(80_000_000), { level: 9 });
    await expect(readTarball(bomb)).rejects.toThrow('becomes too large');
    const many = Array.from({ length: 12 }, (_, at) => ({ path: `package/${at}` }));
    const limits = { ...PACKAGE_LIMITS, maxFiles: 10, maxFileBytes: 5 };
    await expect(readTarball(rawTarball(many), limits)).rejects.toThrow('more than 10 entries');
    const large = rawTarball([{ path: 'package/a', content: '123456' }]);
    await expect(readTarball(large, limits)).rejects.toThrow('is too large');
    await expect(readTarball(large, { ...limits, maxPackedBytes: 5 })).rejects.toThrow('too large');
  });

  it('threat: what follows the end of an archive, or its gzip, is not installed', async () => {
    const end = Buffer.alloc(1024);
    const hidden = rawTar([{ path: 'package/hidden.yml', content: 'x' }]);
    const after = gzipSync(Buffer.concat([rawTar([GOOD]), end, hidden]));
    expect([...(await readTarball(after)).keys()]).toEqual(['package.json']);
    const trailing = Buffer.concat([rawTarball([GOOD]), Buffer.from('trailing'), hidden]);
    await expect(readTarball(trailing)).rejects.toThrow('no gzip archive');
    const second = Buffer.concat([rawTarball([GOOD]), gzipSync(hidden)]);
    expect([...(await readTarball(second)).keys()]).toEqual(['package.json']);
  });

  it('threat: long names of GNU tar and sparse files are refused, not read in part', async () => {
    const long = { path: '././@LongLink', kind: 'L', content: 'package/../../x' };
    await expect(read([long, GOOD])).rejects.toThrow('kind L');
    const link = { path: '././@LongLink', kind: 'K', content: '/etc/passwd' };
    await expect(read([link, GOOD])).rejects.toThrow('kind K');
    const named = [pax('GNU.sparse.name=package/../x'), { path: 'package/a', content: 'x' }];
    expect([...(await read(named)).keys()]).toEqual(['a']);
  });

  it('refuses what is no gzip, no tar, or was damaged', async () => {
    await expect(readTarball(Buffer.from('hello'))).rejects.toThrow('no gzip');
    await expect(readTarball(gzipSync(Buffer.alloc(512, 'x')))).rejects.toThrow('cannot be read');
    const tar = rawTar([GOOD]);
    tar[0] = 0x71;
    await expect(readTarball(gzipSync(tar))).rejects.toThrow('headers cannot be read');
    const binary = rawTar([GOOD]);
    binary[124] = 0x80;
    await expect(readTarball(gzipSync(binary))).rejects.toThrow('cannot be read');
  });

  it('refuses long names', () => {
    expect(entryPathFault('x'.repeat(201))).toContain('too long');
    expect(entryPathFault(`${`${'x'.repeat(99)}/`.repeat(9)}y`)).toContain('too long');
    expect(entryPathFault('tools/a.yml')).toBeUndefined();
  });
});
