import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../../kit/text/text-width.ts';
import { drawTop } from './draw-top.ts';
import { changes } from './live-screen.ts';
import type { TopView } from './screen-text.ts';
import { callsBetween, type ToolFigures, type TopSnapshot } from './top-snapshot.ts';

const PLAIN = pc.createColors(false);
const AT = Date.UTC(2026, 10, 17, 23, 10, 5);
const MINUTE = 60_000;

const tool = (name: string, more: Partial<ToolFigures> = {}): ToolFigures => ({
  name,
  calls: 1,
  running: 0,
  errorRate: 0,
  medianMs: 1,
  p95Ms: 2,
  costUsd: 0,
  ...more,
});

const snapshot = (more: Partial<TopSnapshot> = {}): TopSnapshot => ({
  at: AT,
  source: 'http://127.0.0.1:7420',
  perSecond: 12.3,
  errorRate: 0.012,
  p95Ms: 120,
  minutes: Array.from({ length: 60 }, (_, at) => ({
    start: AT - 5_000 - (59 - at) * MINUTE,
    calls: at,
    errorRate: 0,
  })),
  tools: [
    tool('read_file', { calls: 1234, p95Ms: 3 }),
    tool('web_search', { calls: 20, errorRate: 0.25, p95Ms: 900, costUsd: 0.12, running: 2 }),
    tool('slow_report', { calls: 2, p95Ms: 61_000 }),
  ],
  running: 2,
  waiting: { count: 1, oldestAt: AT - 3 * MINUTE },
  spend: { usd: 0.42, highest: { user: 'ada', usd: 0.4, limitUsd: 10 } },
  servers: [
    { name: 'github', state: 'ready', tools: 31 },
    { name: 'files', state: 'open', tools: 4 },
  ],
  jobs: { waiting: 2, active: 1, delayed: 0, dead: 3 },
  ...more,
});

const view = (more: Partial<TopView> = {}): TopView => ({
  columns: 80,
  rows: 24,
  sort: 'calls',
  isPaused: false,
  showsHelp: false,
  rates: [],
  ...more,
});

const draw = (shot: TopSnapshot, seen: TopView): readonly string[] => drawTop(shot, seen, PLAIN);
const rowsOf = (lines: readonly string[]): readonly string[] =>
  lines.slice(8).flatMap((line) => /^[a-z]\w+(?= {2,})/.exec(line)?.[0] ?? []);

describe('drawTop', () => {
  it('shows no control character of a server that sends texts in place of numbers', () => {
    const text = '\u001b[2J\u202e\r\n' as unknown as number;
    const jobs = { waiting: text, active: text, delayed: text, dead: text };
    const tools = [tool('a', { calls: text, running: text })];
    const servers = [{ name: 'x', state: text as never, tools: 1 }];
    const waiting = { count: text, oldestAt: AT };
    for (const line of draw(snapshot({ jobs, tools, waiting }), view())) {
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    expect(draw(snapshot({ servers }), view())[5]).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('shows all that matters on 80 × 24', () => {
    expect(draw(snapshot(), view({ rates: [1, 2, 12.3] })).map((line) => line.trimEnd())).toEqual([
      'toolcrib top  http://127.0.0.1:7420                                    23:10:05Z',
      expect.stringMatching(/^calls {4}12\/s {5}▂▃█ {2}[▁-█]{34,} {2}1 h, at most 59\/min$/),
      'running  2    waiting for approval 1 (3 min)  failed 1.2 %  p95 120 ms',
      'spend    $0.42 today  █░░░░░░░░░░░ 4.0 % of $10 (ada)',
      'jobs     1 active · 2 waiting · 0 delayed · 3 dead',
      'servers  ✗ files open  ● github',
      '',
      'tool, last 15 min         calls▾  failed       p95  running    median       cost',
      'read_file                  1,234     0 %    3.0 ms        ·    1.0 ms       free',
      'web_search                    20  25.0 %    900 ms        2    1.0 ms      $0.12',
      'slow_report                    2     0 % 1 min 1 s        ·    1.0 ms       free',
      ...Array.from({ length: 12 }, () => ''),
      'q quit  p pause  c f t m n sort  ? help',
    ]);
  });

  it.each([
    [80, 24],
    [120, 40],
    [40, 12],
    [20, 6],
    [1, 1],
    [300, 100],
  ])('fits %i × %i, with many tools and with the help', (columns, rows) => {
    const tools = Array.from({ length: 200 }, (_, at) => tool(`tool_with_a_long_name_${at}`));
    for (const showsHelp of [false, true]) {
      const lines = draw(snapshot({ tools }), view({ columns, rows, showsHelp, rates: [1, 2] }));
      expect(lines).toHaveLength(rows);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(Math.max(20, columns));
    }
  });

  it.each([
    ['calls', ['read_file', 'web_search', 'slow_report']],
    ['failed', ['web_search', 'read_file', 'slow_report']],
    ['time', ['slow_report', 'web_search', 'read_file']],
    ['cost', ['web_search', 'read_file', 'slow_report']],
    ['name', ['read_file', 'slow_report', 'web_search']],
  ] as const)('sorts tools by %s', (sort, names) => {
    expect(rowsOf(draw(snapshot(), view({ sort })))).toEqual(names);
  });

  it('names from outside bring neither escapes nor line breaks to the terminal', () => {
    const bad = 'x\u001b[2J\u001b]0;owned\u0007\r\nfake\u009b31m\u202e';
    const shot = snapshot({
      tools: [tool(bad)],
      source: bad,
      servers: [{ name: bad, state: 'ready', tools: 1 }],
      spend: { usd: 1, highest: { user: bad, usd: 1, limitUsd: 2 } },
    });
    const text = draw(shot, view({ columns: 200, problem: bad })).join('');
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it('keeps columns aligned and lines within the screen with wide characters', () => {
    const tools = [
      tool('检索公司内部全部文件并且生成一份很长的摘要报告'),
      tool('ファイル'),
      tool('plain'),
    ];
    const servers = [{ name: '数据库服务器', state: 'open', tools: 1 } as never];
    for (const columns of [80, 48]) {
      const lines = draw(snapshot({ tools, servers, source: '/home/ada/项目' }), view({ columns }));
      for (const line of lines) expect(textWidth(line), line).toBeLessThanOrEqual(columns);
      const rows = lines.filter((line) => /^(?:检索|ファイル|plain)/.test(line));
      expect(rows.length).toBe(3);
      const start = (line: string): number => textWidth(line.slice(0, line.search(/ 1 /)));
      expect(new Set(rows.map(start)).size).toBe(1);
    }
  });

  it('says that it is paused, that looking failed, and that nothing was called', () => {
    const lines = draw(snapshot({ tools: [] }), view({ isPaused: true, problem: 'gone' }));
    expect(lines[0]).toMatch(/paused$/);
    expect(lines).toContain('no calls yet');
    expect(lines.at(-1)).toBe('cannot read: gone');
  });
});

describe('a screen that is drawn again', () => {
  it('rewrites the lines that changed and no others', () => {
    expect(changes(['a', 'b', 'c'], ['a', 'B', 'c'])).toBe('\u001b[2;1HB\u001b[K');
    expect(changes(['a'], ['a'])).toBe('');
    expect(changes(['a', 'b'], ['a'])).toBe('\u001b[2;1H\u001b[K');
  });
});

describe('callsBetween', () => {
  const at = (...calls: readonly (readonly [number, number])[]): TopSnapshot =>
    snapshot({ minutes: calls.map(([start, count]) => ({ start, calls: count, errorRate: 0 })) });

  it('counts what was added to known minutes and in new ones', () => {
    expect(callsBetween(at([1, 5], [2, 3]), at([2, 7], [3, 4]))).toBe(8);
  });

  it('never counts minutes from before the first look, nor less than nothing', () => {
    expect(callsBetween(at([2, 3]), at([1, 100], [2, 1]))).toBe(0);
  });
});
