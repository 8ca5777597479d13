import { describe, expect, it } from 'vitest';
import { findProgram, windowsLaunch } from './windows-command.ts';

const there = new Set(['C:\\node\\npx', 'C:\\node\\npx.cmd', 'C:\\tools\\server.exe']);
const place = {
  env: { Path: 'C:\\empty;C:\\node\\;C:\\tools', PATHEXT: '.COM;.EXE;.BAT;.CMD', ComSpec: 'cmd' },
  exists: (path: string) => there.has(path),
};

describe('programs on Windows', () => {
  it('npx is the .cmd file beside the script for other shells', () => {
    expect(findProgram('npx', place)).toBe('C:\\node\\npx.cmd');
    expect(findProgram('server', place)).toBe('C:\\tools\\server.exe');
    expect(findProgram('C:\\tools\\server.exe', place)).toBe('C:\\tools\\server.exe');
    expect(findProgram('nothing', place)).toBe('nothing');
  });

  it('a real program is started as it is', () => {
    expect(windowsLaunch('server', ['a b', '&calc'], place)).toEqual({
      file: 'C:\\tools\\server.exe',
      args: ['a b', '&calc'],
      verbatim: false,
    });
  });

  it('a .cmd file is run by the interpreter, and an argument stays one word', () => {
    const { file, args, verbatim } = windowsLaunch('npx', ['-y', 'a b'], place);
    expect({ file, verbatim }).toEqual({ file: 'cmd', verbatim: true });
    expect(args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
    expect(args[3]).toBe('"C:\\node\\npx.cmd ^^^"-y^^^" ^^^"a^^^ b^^^""');
  });

  it.each(['& calc', '| calc', '> C:\\x', '%PATH%', '" & calc & "', '^& calc', '!x!', '(calc)'])(
    'threat: an argument that would be a command: %s',
    (word) => {
      const line = windowsLaunch('npx', [word], place).args[3] ?? '';
      const inner = line.slice(1, -1).replace('C:\\node\\npx.cmd ', '');
      // Every character that means something to the interpreter is escaped.
      const bare = inner.replaceAll(/\^./g, '');
      expect(bare).not.toMatch(/[&|<>%!()"]/);
    },
  );
});
