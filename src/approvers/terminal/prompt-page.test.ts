import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../contract/approver.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { promptPage } from './prompt-page.ts';

const request = (input: unknown, over: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: 'a1',
  caller: LOCAL_CALLER,
  tool: 'bash_execution',
  version: '1.0.0',
  description: 'Runs a command.',
  tier: 'execute',
  action: 'run',
  input,
  estimatedCost: 0,
  estimatedTime: undefined,
  effects: [],
  targets: ['file:/home/ada/project'],
  reason: 'Programs need a person.',
  rule: 'ask',
  definition: 'd1',
  rememberable: true,
  expiresAt: 300_000,
  ...over,
});

const COMMAND = 'rm -rf build';
const MAX_ROWS = 24 - 8;

const HOSTILE: [string, unknown, Partial<ApprovalRequest>?][] = [
  ['3,000 fields before it', { ...fields(3000), command: COMMAND }],
  ['3,000 fields after it', { command: COMMAND, ...fields(3000) }],
  ['a long value beside it', { note: 'x'.repeat(100_000), command: COMMAND }],
  ['newlines beside it', { note: '\n'.repeat(5000), command: COMMAND }],
  ['lines of text beside it', { note: 'line\n'.repeat(5000), command: COMMAND }],
  ['tabs beside it', { note: '\t'.repeat(5000), command: COMMAND }],
  ['nested fields beside it', { note: { deep: fields(500) }, list: [fields(9)], command: COMMAND }],
  ['a long name beside it', { ['n'.repeat(5000)]: 1, command: COMMAND }],
  [
    'long texts of the question',
    { command: COMMAND },
    { description: 'd\n'.repeat(2000), reason: 'r '.repeat(2000), rule: 'u'.repeat(900) },
  ],
  ['500 targets and effects', { command: COMMAND }, { targets: files(500), effects: files(500) }],
  ['a caller with a long name', { command: COMMAND }, { caller: longCaller() }],
];

function fields(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, `value ${at}`]));
}
function files(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `file:/home/ada/${at}.txt`);
}
function longCaller(): ApprovalRequest['caller'] {
  return { ...LOCAL_CALLER, userId: 'u\n'.repeat(900) };
}

describe('the page above the prompt', () => {
  it.each(HOSTILE)(
    'hostile: %s does not push the command off an 80x24 screen',
    (_name, input, over) => {
      const { lines, hidden } = promptPage(request(input, over), { now: 0, width: 80, rows: 24 });
      expect(lines.length).toBeLessThanOrEqual(MAX_ROWS);
      expect(lines.every((line) => line.length <= 80 && !/[\n\t\r]/.test(line))).toBe(true);
      const text = lines.join('\n');
      for (const part of ['bash_execution', 'run', 'file:/home/ada/', COMMAND]) {
        expect(text).toContain(part);
      }
      expect(lines.at(-1)).toContain('bash_execution');
      expect(lines.at(-1)).toMatch(/in short/);
      expect(hidden > 100 || /⟨\d+ (?:blank lines|tabs)⟩/.test(text)).toBe(true);
    },
  );

  it('states how many fields and characters of the input are not shown', () => {
    const input = { ...fields(3000), command: COMMAND };
    const text = promptPage(request(input), { now: 0, width: 80, rows: 24 }).lines.join('\n');
    expect(text).toMatch(/⟨ 2,99\d fields, [\d,]+ characters of the input are not shown: v shows/);
    expect(text).toContain('f2999');
  });

  it('shows both ends of a command that is too long, and counts what is between', () => {
    const command = `echo start; ${'true; '.repeat(2000)}rm -rf ~`;
    const { lines } = promptPage(request({ command }), { now: 0, width: 80, rows: 24 });
    const text = lines.join('\n');
    expect(text).toContain('echo start');
    expect(text).toContain('rm -rf ~');
    expect(text).toMatch(/characters are not shown here/);
    expect(lines.length).toBeLessThanOrEqual(MAX_ROWS);
  });

  it('benign: an ordinary call is shown whole', () => {
    const input = { command: 'npm test', cwd: '.' };
    const { lines, hidden } = promptPage(request(input), { now: 0, width: 80, rows: 24 });
    const text = lines.join('\n');
    for (const part of [
      'bash_execution 1.0.0',
      'runs programs',
      'command: "npm test"',
      'cwd: "."',
      'Programs need a person.',
      'user local',
      'expires in 5 min',
      'none declared',
      'Runs a command.',
    ]) {
      expect(text).toContain(part);
    }
    expect(hidden).toBe(0);
  });

  it('breaks long texts into lines while the page has room, and shows them whole', () => {
    const reason = `The rule keeps programs away from ${'the folder of the team and '.repeat(5)}its end.`;
    const target = `file:/home/ada/${'deep/'.repeat(20)}last.txt`;
    const over = { reason, targets: [target], description: `Runs ${'a command '.repeat(12)}here.` };
    const { lines, hidden } = promptPage(request({ command: COMMAND }, over), {
      now: 0,
      width: 80,
      rows: 40,
    });
    const plain = lines.map((line) => line.slice(12).replace(/^↪ /, '')).join('');
    for (const part of [reason, target, over.description]) expect(plain).toContain(part);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    expect(hidden).toBe(0);
  });

  it('a reason that is longer than the room keeps its rule, and what is cut is counted', () => {
    const reason = `start ${'x'.repeat(5000)} the end`;
    const { lines, hidden } = promptPage(request({ command: COMMAND }, { reason }), {
      now: 0,
      width: 80,
      rows: 40,
    });
    const text = lines.join('\n');
    expect(text).toMatch(/⟨ 4,\d{3} characters ⟩\(rule ask\)/);
    expect(text).toContain(`command: "${COMMAND}"`);
    expect(hidden).toBeGreaterThan(4000);
    expect(lines.length).toBeLessThanOrEqual(32);
  });

  it('uses a larger screen, and shows a minimum on a tiny one', () => {
    const input = { ...fields(100), command: COMMAND };
    const large = promptPage(request(input), { now: 0, width: 120, rows: 60 });
    expect(large.lines.length).toBeGreaterThan(40);
    expect(large.lines.length).toBeLessThanOrEqual(52);
    const tiny = promptPage(request(input), { now: 0, width: 10, rows: 5 });
    expect(tiny.lines.length).toBeLessThanOrEqual(13);
  });
});

describe('the page of a question that a flow asks', () => {
  const asked = (parts: object = {}) =>
    request(
      { question: 'Delete the note?', flow: 'research', input: '{"topic":"bees"}', ...parts },
      { tool: 'toolcrib:confirm', action: 'toolcrib:confirm', tier: 'read_only', targets: [] },
    );
  const size = { now: 0, width: 80, rows: 24 };

  it('says first what is asked, by which flow and of which run, and nothing of the tool', () => {
    const { lines, hidden } = promptPage(asked({ runId: 'one' }), size);
    expect(lines.slice(0, 4)).toEqual([
      '  question  Delete the note?',
      '  flow      research',
      '  given     {"topic":"bees"}',
      '  run       one',
    ]);
    expect(lines.join('\n')).not.toMatch(/toolcrib:confirm|touches|rule/);
    expect(hidden).toBe(0);
  });

  it('hostile: details and long words do not push the question off the screen, or fake a line', () => {
    const details = { ...fields(3000), note: '  question  Keep it?\n'.repeat(500) };
    const long = { question: `Delete?\n  flow      other ${'x'.repeat(9000)}`, details };
    const { lines, hidden } = promptPage(asked(long), size);
    expect(lines.length).toBeLessThanOrEqual(MAX_ROWS);
    expect(lines[0]).toMatch(/^ {2}question {2}Delete\?/);
    expect(lines.filter((line) => line.startsWith('  flow '))).toEqual(['  flow      research']);
    expect(hidden).toBeGreaterThan(9000);
  });
});
