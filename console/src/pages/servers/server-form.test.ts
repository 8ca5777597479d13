import { describe, expect, it } from 'vitest';
import { EMPTY_SERVER, serverBody, serverProblems } from './server-form.ts';

const program = { ...EMPTY_SERVER, name: 'files', command: ' npx ', args: '-y\n\nserver .\n' };

describe('the form of a new server', () => {
  it('becomes a program with its arguments, one a line, and variables', () => {
    const form = { ...program, env: 'A=1\nB=x=y', url: 'https://left.example', tier: 'write' };
    expect(serverProblems(form)).toEqual({});
    expect(serverBody(form)).toEqual({
      name: 'files',
      tier: 'write',
      command: 'npx',
      args: ['-y', 'server .'],
      env: { A: '1', B: 'x=y' },
    });
  });

  it('becomes an address, and leaves out what belongs to a program', () => {
    const form = { ...program, kind: 'address' as const, url: ' https://example.com/mcp ' };
    expect(serverProblems(form)).toEqual({});
    expect(serverBody(form)).toEqual({ name: 'files', url: 'https://example.com/mcp' });
  });

  it('says what is wrong', () => {
    expect(Object.keys(serverProblems(EMPTY_SERVER))).toEqual(['name', 'command']);
    expect(Object.keys(serverProblems({ ...program, env: 'nonsense' }))).toEqual(['env']);
    for (const url of ['', 'javascript:alert(1)', 'file:///etc', 'example.com']) {
      expect(Object.keys(serverProblems({ ...program, kind: 'address', url }))).toEqual(['url']);
    }
    for (const name of ['../a', 'a b', '-a', 'x'.repeat(65)]) {
      expect(Object.keys(serverProblems({ ...program, name }))).toEqual(['name']);
    }
  });
});
