/** docs/library.md lists every event of `crib.events`. */
import { describe, expect, it } from 'vitest';
import { readText } from './source-text.ts';

const EVENT_ROW = /^\| (`[a-z]+\.[a-z]+`(?:, `[a-z]+\.[a-z]+`)*) \|/gm;

describe('the events in library.md', () => {
  it('are those that a listener can name', () => {
    const source = readText('src/contract/events.ts');
    const start = source.indexOf('export interface CribEvents');
    const body = source.slice(start, source.indexOf('\n}', start));
    const names = [...body.matchAll(/^ {2}'([a-z]+\.[a-z]+)':/gm)].map(([, name]) => name);
    const rows = [...readText('docs/library.md').matchAll(EVENT_ROW)];
    const listed = rows.flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
    expect(names.length).toBeGreaterThan(20);
    expect(listed.toSorted()).toEqual(names.toSorted());
  });
});
