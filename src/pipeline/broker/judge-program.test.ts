import { describe, expect, it } from 'vitest';
import { judgeProgram } from './judge-program.ts';

const ANYTHING = { needs: { commands: ['*'] } };
const settings = (...allow: string[]) => ({ root: '/workspace', allow });

describe('a program of a tool', () => {
  it('runs when the user allows it to one that may run anything', async () => {
    const verdict = await judgeProgram(ANYTHING, { argv: ['ls', '-l'] }, settings('ls *'));
    expect(verdict).toMatchObject({ ok: true, commands: [['ls', '-l']] });
  });

  it('runs when the tool has declared it, whatever the user allows to others', async () => {
    const tool = { needs: { commands: ['git status'] } };
    await expect(
      judgeProgram(tool, { argv: ['git', 'status'] }, settings()),
    ).resolves.toHaveProperty('ok');
    await expect(judgeProgram(tool, { argv: ['ls'] }, settings('ls'))).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('is judged command by command where it is a script for bash', async () => {
    await expect(
      judgeProgram(ANYTHING, { argv: ['bash', '-c', 'ls | wc'] }, settings('ls', 'wc')),
    ).resolves.toHaveProperty('ok', true);
    await expect(
      judgeProgram(ANYTHING, { argv: ['bash', '-c', 'ls; rm -r .'] }, settings('ls')),
    ).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('is refused with a hint at the setting that allows it', async () => {
    await expect(judgeProgram(ANYTHING, { argv: ['ls'] }, settings())).rejects.toMatchObject({
      message: expect.stringContaining('not on the allowlist'),
      extras: { suggestions: [expect.stringContaining('commands.allow')] },
    });
  });

  it('is refused to a tool that declared none', async () => {
    await expect(judgeProgram({}, { argv: ['ls'] }, settings('ls'))).rejects.toMatchObject({
      extras: { suggestions: ['Add the program to needs.commands.'] },
    });
  });
});
