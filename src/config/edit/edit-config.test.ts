import {
  chmod,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../config-error.ts';
import { configTemplate } from '../document/template.ts';
import { parseConfigText } from '../load/parse-config-text.ts';
import { setInConfigFile } from './edit-config.ts';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolcrib-edit-'));
  file = join(directory, 'config.yml');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

/** The text after an edit of the text before. */
const edit = async (before: string, path: (string | number)[], value: unknown) => {
  await writeFile(file, before);
  await setInConfigFile(file, path, value);
  return readFile(file, 'utf8');
};

const DISABLE = ['tools', 'git', 'enabled'];

describe('setInConfigFile', () => {
  it.each([
    [
      'a value that is there',
      'tools:\n  git: # mine\n    enabled: true # why\n',
      'tools:\n  git: # mine\n    enabled: false # why\n',
    ],
    [
      'a tool without that key',
      'tools:\n  git:\n    # slow\n    timeoutMs: 5\n',
      'tools:\n  git:\n    enabled: false\n    # slow\n    timeoutMs: 5\n',
    ],
    [
      'a section without that tool',
      '# top\ntools:\n    # notes\n    npm: {}\n\n# end\n',
      '# top\ntools:\n    git:\n      enabled: false\n    # notes\n    npm: {}\n\n# end\n',
    ],
    [
      'a section of comments only',
      'tools: # all\n  #git: {}\nstore:\n',
      'tools: # all\n  git:\n    enabled: false\n  #git: {}\nstore:\n',
    ],
    [
      'no such section',
      '# mine\nstore:\n  driver: memory # fast\n',
      '# mine\nstore:\n  driver: memory # fast\ntools:\n  git:\n    enabled: false\n',
    ],
    ['no line end at the end', 'store: {}', 'store: {}\ntools:\n  git:\n    enabled: false\n'],
    [
      'braces',
      'tools: {npm: {enabled: true}} # x\n',
      'tools: { git: { enabled: false },npm: {enabled: true}} # x\n',
    ],
    ['empty braces', 'tools: {}\n', 'tools: { git: { enabled: false } }\n'],
    ['an empty value', 'tools:\n  git:\n    enabled:\n', 'tools:\n  git:\n    enabled: false\n'],
    [
      'quoted keys',
      '"tools":\n  \'git\': {"enabled": true}\n',
      '"tools":\n  \'git\': {"enabled": false}\n',
    ],
    [
      'Windows line ends',
      'tools:\r\n  npm: {}\r\n',
      'tools:\r\n  git:\r\n    enabled: false\r\n  npm: {}\r\n',
    ],
    ['nothing at all', '', 'tools:\n  git:\n    enabled: false\n'],
    ['comments only', '# hello\n', '# hello\ntools:\n  git:\n    enabled: false\n'],
  ])('changes one setting where there is %s', async (_, before, after) => {
    expect(await edit(before, DISABLE, false)).toBe(after);
  });

  it('creates the file and its directory', async () => {
    const fresh = join(directory, '.toolcrib', 'config.yml');
    await setInConfigFile(fresh, DISABLE, false);
    expect(await readFile(fresh, 'utf8')).toBe('tools:\n  git:\n    enabled: false\n');
  });

  it('edits the template and changes nothing else in it', async () => {
    const after = await edit(configTemplate(), DISABLE, false);
    expect(after).toBe(
      configTemplate().replace('\ntools:\n', '\ntools:\n  git:\n    enabled: false\n'),
    );
    await setInConfigFile(file, DISABLE, true);
    await setInConfigFile(file, ['execution', 'breaker', 'failures'], 9);
    await setInConfigFile(file, ['tools', 'file:write', 'cache'], { ttlMs: 5 });
    expect((await parseConfigText(await readFile(file, 'utf8'))).value).toMatchObject({
      tools: { git: { enabled: true }, 'file:write': { cache: { ttlMs: 5 } } },
      execution: { breaker: { failures: 9 } },
      workspace: { root: '.' },
    });
  });

  it('replaces lists, their items and whole mappings', async () => {
    const text = 'workspace:\n  extraRoots:\n    - a\n    - b # two\n  root: .\n';
    expect(await edit(text, ['workspace', 'extraRoots', 1], 'c')).toBe(text.replace('b #', 'c #'));
    await edit(text, ['workspace', 'extraRoots'], ['x y', 'true', '.']);
    expect((await parseConfigText(await readFile(file, 'utf8'))).value).toEqual({
      workspace: { extraRoots: ['x y', 'true', '.'], root: '.' },
    });
  });

  it('keeps any text intact as a value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), async (text) => {
        await edit('store: # s\n  path: old\n', ['store', 'path'], text);
        expect((await parseConfigText(await readFile(file, 'utf8'))).value).toEqual({
          store: { path: text },
        });
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the mode, follows a link and leaves no scratch files', async () => {
    const link = join(directory, 'link.yml');
    await writeFile(file, 'tools: {}\n');
    await chmod(file, 0o660);
    await symlink(file, link);
    await setInConfigFile(link, DISABLE, false);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await stat(file)).mode & 0o777).toBe(0o660);
    expect(await readFile(file, 'utf8')).toContain('git');
    expect((await readdir(directory)).toSorted()).toEqual(['config.yml', 'link.yml']);
  });

  it('does not write a file that has the value already', async () => {
    await writeFile(file, 'tools: {git: {enabled: false}}\n');
    const before = await stat(file);
    await setInConfigFile(file, DISABLE, false);
    expect((await stat(file)).ino).toBe(before.ino);
  });

  it.each<[string, string, (string | number)[], unknown, RegExp]>([
    ['a bad value', 'tools: {}\n', DISABLE, 'no', /tools\.git\.enabled: expected true or false/],
    ['an unknown key', '', ['tols', 'git'], {}, /tols: unknown key; did you mean tools/],
    ['a bad tool name', '', ['tools', 'a b', 'enabled'], true, /a tool name is/],
    ['a file that is wrong already', 'nope: 1\n', DISABLE, false, /nope: unknown key/],
    ['a file that is no YAML', 'tools: [\n', DISABLE, false, /config\.yml:1:9: /],
    ['a prototype key', '', ['tools', '__proto__', 'enabled'], true, /not allowed/],
    ['no path', '', [], {}, /name the setting/],
    [
      'a place that holds no mapping',
      'tools: {git: {cache: false}}\n',
      ['tools', 'git', 'cache', 'ttlMs'],
      5,
      /edit it by hand/,
    ],
    [
      'a mapping that others share',
      'tools:\n  git: &g\n    enabled: true\n  npm: *g\n',
      DISABLE,
      false,
      /edit it by hand/,
    ],
    ['a document that has ended', 'store: {}\n...\n', DISABLE, false, /edit it by hand/],
  ])('refuses %s and does not change the file', async (...row) => {
    const [, before, path, value, message] = row;
    await writeFile(file, before);
    const error: unknown = await setInConfigFile(file, path, value).catch((reason) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toMatch(message);
    expect(await readFile(file, 'utf8')).toBe(before);
    expect(await readdir(directory)).toEqual(['config.yml']);
  });
});
