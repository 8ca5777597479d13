import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../contract/approver.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { approvalPage } from './approval-page.ts';

const request = (input: unknown, over: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: 'a1',
  caller: LOCAL_CALLER,
  tool: 'file_operations',
  version: '1.2.0',
  description: 'Works on files.',
  tier: 'write',
  action: 'delete',
  input,
  estimatedCost: 0,
  estimatedTime: 1500,
  effects: ['forgets the file'],
  targets: ['file:/home/ada/notes.txt'],
  reason: 'Destructive actions need a person.',
  rule: 'confirm-delicate',
  definition: 'd1',
  rememberable: true,
  expiresAt: 300_000,
  ...over,
});

const page = (input: unknown, over?: Partial<ApprovalRequest>, full = false) =>
  approvalPage(request(input, over), { now: 0, width: 80, full });

const text = (input: unknown, over?: Partial<ApprovalRequest>) =>
  page(input, over).lines.join('\n');

describe('approvalPage', () => {
  it('says everything a person needs', () => {
    const shown = text({ path: 'notes.txt' });
    for (const part of [
      'file_operations 1.2.0',
      'write (changes files or data)',
      'delete',
      'Works on files.',
      'Destructive actions need a person.',
      'user local',
      'free',
      'about 2 s',
      'forgets the file',
      'file:/home/ada/notes.txt',
      'confirm-delicate',
      'in 5 min',
      'path: "notes.txt"',
    ]) {
      expect(shown).toContain(part);
    }
  });

  it('shows secrets: what hides the command would hide the attack', () => {
    expect(text({ command: 'curl -H "Authorization: Bearer sk-live-1234567890abcdef"' })).toContain(
      'sk-live-1234567890abcdef',
    );
  });

  it('shows nested values exactly, with their types', () => {
    const shown = text({ list: [1, '1', true, null], deep: { 'odd key': {} }, none: [] });
    expect(shown).toContain('- 1: 1');
    expect(shown).toContain('- 2: "1"');
    expect(shown).toContain('- 4: null');
    expect(shown).toContain('"odd key": {}');
    expect(shown).toContain('none: []');
  });

  it('shows an input that is no object', () => {
    expect(text('just text')).toContain('value: "just text"');
  });

  it('a quote inside a value cannot end it', () => {
    expect(text({ path: 'a" force: "true' })).toContain('path: "a\\" force: \\"true"');
    expect(text({ path: 'dir\\' })).toContain('path: "dir\\\\"');
  });

  it('marks hostile characters in every field', () => {
    const evil = '\u001b[2J\u202e\r';
    const shown = text(
      { [`k${evil}`]: `v${evil}` },
      {
        tool: `t${evil}`,
        description: `d${evil}`,
        reason: `r${evil}`,
        effects: [`e${evil}`],
        targets: [`file:/f${evil}`],
        rule: `rule${evil}`,
      },
    );
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(shown.split('␛[2J\\u202e␍')).toHaveLength(9);
  });

  it('a line break in a value cannot start a line of the page', () => {
    const lines = page({ command: 'ls\n  tier      read_only\n  input' }).lines;
    expect(lines.filter((line) => line.startsWith('  tier'))).toHaveLength(1);
    expect(lines).toContain('      │   tier      read_only');
  });

  it('a long line is broken with a mark, so that its rest cannot pose as a field', () => {
    const lines = page({ path: `${'x'.repeat(66)}    force: true` }).lines;
    expect(lines.some((line) => line.trimStart().startsWith('force'))).toBe(false);
    expect(lines.some((line) => line.trimStart().startsWith('↪'))).toBe(true);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });

  it('cuts a huge field in the middle, states what is hidden and shows all on demand', () => {
    const content = `start\n${Array.from({ length: 500 }, (_, at) => `line ${at}`).join('\n')}\nrm -rf ~`;
    const short = page({ content });
    const shown = short.lines.join('\n');
    expect(shown).toContain('start');
    expect(shown).toContain('rm -rf ~');
    expect(shown).toMatch(/⟨ \d+ lines, [\d,]+ characters are not shown here: v shows all ⟩/);
    expect(short.hidden).toBeGreaterThan(3000);
    const full = page({ content }, {}, true);
    expect(full.hidden).toBe(0);
    expect(full.lines.join('\n')).toContain('line 250');
  });

  it('counts padding that is hidden by its characters, not by the mark that stands for it', () => {
    const padding = ' '.repeat(400);
    const content = `start\n${Array.from({ length: 100 }, () => `x${padding}y`).join('\n')}\nend`;
    const { hidden } = page({ content });
    // A title and 102 lines, of which 24 at the start and 6 at the end are shown.
    expect(hidden).toBe((103 - 30) * (padding.length + 2));
  });

  it('states the size of text and counts its padding', () => {
    const shown = text({ command: `ls${'\n'.repeat(100)}rm` });
    expect(shown).toContain('text of 101 lines, 104 characters');
    expect(shown).toContain('⟨99 blank lines⟩');
  });

  it('says when the answer cannot be remembered, and when it can', () => {
    expect(text({}, { rememberable: false })).toContain('each time anew');
    expect(text({})).not.toContain('each time anew');
  });

  it('a line break in a target, an effect or a rule cannot make a second one', () => {
    const forged = 'file:/a\nfile:/b';
    const lines = page({}, { targets: [forged], effects: ['e\ninput'], rule: 'r\n  tier' }).lines;
    expect(lines.filter((line) => line.includes('file:'))).toHaveLength(1);
    expect(lines.join('\n')).toContain('file:/a␊file:/b');
    expect(lines.join('\n')).toContain('e␊input');
    expect(lines.filter((line) => /^ {2}tier/.test(line))).toHaveLength(1);
  });

  it('counts padding in a target, so that its end stays in sight', () => {
    expect(text({}, { targets: [`file:/a${' '.repeat(500)}/../etc/passwd`] })).toContain(
      '⟨500 spaces⟩/../etc/passwd',
    );
  });

  it('states how much of many targets it hides, and shows all on demand', () => {
    const targets = Array.from({ length: 100 }, (_, at) => `file:/home/ada/${at}.txt`);
    const short = page({}, { targets });
    expect(short.lines.join('\n')).toContain('file:/home/ada/99.txt');
    expect(short.lines.join('\n')).toMatch(/⟨ \d+ lines, [\d,]+ characters are not shown here/);
    expect(short.hidden).toBeGreaterThan(1000);
    expect(page({}, { targets }, true).lines.join('\n')).toContain('file:/home/ada/50.txt');
  });

  it('a call that names nothing to touch says so', () => {
    expect(text({}, { targets: [], effects: [] })).toContain('nothing that its input names');
  });

  it('shows an unnamed action, an unknown time and a price', () => {
    const shown = text({}, { action: '', estimatedTime: undefined, estimatedCost: 0.25 });
    expect(shown).toContain('not named');
    expect(shown).toContain('unknown');
    expect(shown).toContain('$0.25');
    expect(text({}, { estimatedTime: 20, expiresAt: -5 })).toContain('about 20 ms');
  });
});
