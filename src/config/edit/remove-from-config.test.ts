import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFromConfigFile } from './remove-from-config.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remove-setting-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const edited = async (text: string, ...path: readonly string[]): Promise<string> => {
  const file = join(folder, 'config.yml');
  writeFileSync(file, text);
  await removeFromConfigFile(file, path);
  return readFileSync(file, 'utf8');
};

const SERVER = ['mcp', 'servers', 'two'] as const;

describe('removeFromConfigFile', () => {
  it.each([
    [
      'between others, with comments around',
      '# top\nmcp:\n  servers:\n    # first\n    one: { command: a }\n    two:\n      command: b # note\n      args: [x]\n    # third\n    three: { command: c }\nretry: {} # end\n',
      '# top\nmcp:\n  servers:\n    # first\n    one: { command: a }\n    # third\n    three: { command: c }\nretry: {} # end\n',
    ],
    [
      'at the end of the file, without a line break',
      'mcp:\n  servers:\n    one: { command: a }\n    two: { command: b }',
      'mcp:\n  servers:\n    one: { command: a }\n',
    ],
    [
      'the only one',
      'mcp:\n  servers:\n    two: { command: b } # x\n',
      'mcp:\n  servers:\n    {} # x\n',
    ],
    [
      'between braces',
      'mcp: { servers: { one: { command: a }, two: { command: b } } }\n',
      'mcp: { servers: { one: { command: a } } }\n',
    ],
    [
      'first between braces',
      'mcp: { servers: { two: { command: b }, three: { command: c } } }\n',
      'mcp: { servers: { three: { command: c } } }\n',
    ],
    [
      'alone between braces',
      'mcp: { servers: { two: { command: b } } }\n',
      'mcp: { servers: {} }\n',
    ],
    [
      'with Windows line ends',
      'mcp:\r\n  servers:\r\n    two: { command: b }\r\n    one: { command: a }\r\n',
      'mcp:\r\n  servers:\r\n    one: { command: a }\r\n',
    ],
  ])('removes an entry %s', async (_case, text, wanted) => {
    expect(await edited(text, ...SERVER)).toBe(wanted);
  });

  it.each([
    ['mcp: {}\n', SERVER],
    ['', SERVER],
    ['mcp:\n  servers:\n    two: { command: b }\n', ['mcp', 'servers', '__proto__']],
  ])('does not change %j when the setting is absent', async (text, path) => {
    const file = join(folder, 'config.yml');
    writeFileSync(file, text);
    expect(await removeFromConfigFile(file, path)).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('does not change an invalid file', async () => {
    const text = 'mcp: [\n';
    await expect(edited(text, ...SERVER)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readFileSync(join(folder, 'config.yml'), 'utf8')).toBe(text);
  });
});
