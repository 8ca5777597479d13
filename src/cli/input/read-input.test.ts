import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import type { Io } from '../io.ts';
import { readInput } from './read-input.ts';

const folder = () => mkdtemp(join(tmpdir(), 'toolcrib-input-'));

const ioWith = (cwd: string, piped?: string): Io => {
  const stdin = new PassThrough();
  if (piped !== undefined) stdin.end(piped);
  return fakeIo({ cwd, stdin: Object.assign(stdin, { fd: -1 }) as unknown as Io['stdin'] }).io;
};

describe('readInput', () => {
  it('takes one JSON argument', async () => {
    const given = await readInput(ioWith('/'), { args: ['{"a": 1}'], file: undefined });
    expect(given).toEqual({ base: { a: 1 }, pairs: [] });
  });

  it('gives no input when nothing is given or piped', async () => {
    expect(await readInput(ioWith('/'), { args: [], file: undefined })).toEqual({
      base: undefined,
      pairs: [],
    });
  });

  it('reads JSON and YAML files, and adds pairs', async () => {
    const cwd = await folder();
    await writeFile(join(cwd, 'a.json'), '\uFEFF{"a": 1}');
    await writeFile(join(cwd, 'a.yml'), 'a: 1\nlist: [x, y]\n');
    expect((await readInput(ioWith(cwd), { args: [], file: 'a.json' })).base).toEqual({ a: 1 });
    const given = await readInput(ioWith(cwd), { args: ['b=2'], file: 'a.yml' });
    expect(given.base).toEqual({ a: 1, list: ['x', 'y'] });
    expect(given.pairs).toEqual([{ key: 'b', json: false, text: '2' }]);
  });

  it.each([
    'id: 9007199254740993',
    'ids: [1, -9007199254740993]',
    'id: +12345678901234567890',
    'id: 0xFFFFFFFFFFFFFFFF',
    'deep: { x: 1e400 }',
  ])('refuses a number of a YAML file that would be rounded: %s', async (content) => {
    const cwd = await folder();
    await writeFile(join(cwd, 'a.yml'), content);
    await expect(readInput(ioWith(cwd), { args: [], file: 'a.yml' })).rejects.toThrow(
      'cannot be kept exactly',
    );
  });

  it('benign: keeps numbers of a YAML file that are exact, and digits in quotes', async () => {
    const cwd = await folder();
    await writeFile(
      join(cwd, 'a.yml'),
      'a: 9007199254740991\nb: 0.1\nc: "9007199254740993"\nd: 0x10\n',
    );
    const { base } = await readInput(ioWith(cwd), { args: [], file: 'a.yml' });
    expect(base).toEqual({ a: 9007199254740991, b: 0.1, c: '9007199254740993', d: 16 });
  });

  it('reads the text of a file into a field', async () => {
    const cwd = await folder();
    await writeFile(join(cwd, 'note.md'), 'line 1\nline 2\n');
    const { pairs } = await readInput(ioWith(cwd), {
      args: ['content=@note.md', 'handle=@@me'],
      file: undefined,
    });
    expect(pairs.map(({ text }) => text)).toEqual(['line 1\nline 2\n', '@me']);
  });

  it('reads stdin for - and --input -', async () => {
    for (const given of [
      { args: ['-'], file: undefined },
      { args: [], file: '-' },
    ]) {
      expect((await readInput(ioWith('/', '{"a":1}'), given)).base).toEqual({ a: 1 });
    }
    expect((await readInput(ioWith('/', ' \n'), { args: ['-'], file: undefined })).base).toBe(
      undefined,
    );
  });

  it.each([
    [['{"a": }'], undefined, 'at line 1, column 7'],
    [['hello'], undefined, 'at line 1, column 1'],
    [['{}', '{}'], undefined, 'more than once'],
    [['{}'], 'a.json', 'more than once'],
    [[], 'missing.json', 'does not exist'],
    [['a=@missing'], undefined, 'does not exist'],
  ])('%j and %j: %s', async (args, file, message) => {
    const cwd = await folder();
    await expect(readInput(ioWith(cwd), { args, file })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    'amount: !secret 5\n',
    'amount: !!binary aGVsbG8=\n',
    'when: !!timestamp 2026-01-01\n',
    'all: !!set {a, b}\n',
    'run: !!js/function "function () {}"\n',
    '!tool\namount: 5\n',
    '%TAG !e! tag:example.com,2026:\n---\namount: !e!money 5\n',
    '%YAML 1.1\n---\namount: !!binary aGVsbG8=\n',
  ])('refuses a YAML tag that it would otherwise drop: %j', async (text) => {
    const cwd = await folder();
    await writeFile(join(cwd, 'tagged.yml'), text);
    const reading = readInput(ioWith(cwd), { args: [], file: 'tagged.yml' });
    await expect(reading).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(reading).rejects.toThrow('YAML tag at line');
  });

  it('benign: reads tags of the core schema, and YAML of an older version as of today', async () => {
    const cwd = await folder();
    await writeFile(join(cwd, 'tagged.yml'), '%YAML 1.1\n---\na: !!str 5\nb: !!int "5"\nc: yes\n');
    const read = await readInput(ioWith(cwd), { args: [], file: 'tagged.yml' });
    expect(read.base).toEqual({ a: '5', b: 5, c: 'yes' });
  });

  it('says where YAML is broken, and stops alias bombs', async () => {
    const cwd = await folder();
    await writeFile(join(cwd, 'bad.yml'), 'a: [1, 2\nb: }');
    const aliases = ['a: &a [x]'];
    for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe']) {
      aliases.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`);
    }
    await writeFile(join(cwd, 'bomb.yml'), aliases.join('\n'));
    for (const file of ['bad.yml', 'bomb.yml']) {
      await expect(readInput(ioWith(cwd), { args: [], file })).rejects.toThrow('not valid YAML');
    }
  });

  it('keeps values out of its messages', async () => {
    const error = await readInput(ioWith('/'), {
      args: ['{"password": hunter2}'],
      file: undefined,
    }).catch((thrown: Error) => thrown);
    expect((error as Error).message).not.toContain('hunter2');
  });
});
