import { describe, expect, it } from 'vitest';
import { filterOf, filterProblem, isFiltered, isRowNumber, queryOf } from './audit-filter.ts';

describe('the filter in the address', () => {
  it('holds only what is known and not empty', () => {
    const filter = filterOf({ tool: ' file_read ', user: '', limit: '1', __proto__: 'x' } as never);
    expect(filter).toEqual({ tool: 'file_read' });
    expect(isFiltered(filter)).toBe(true);
    expect(isFiltered(filterOf({ user: '  ' }))).toBe(false);
  });

  it('takes no choice that the drop-downs do not offer', () => {
    expect(filterOf({ status: 'nope', tier: 'bogus', kind: 'event' })).toEqual({ kind: 'event' });
  });

  it('asks the server in milliseconds, with the reader’s clock', () => {
    const query = queryOf({ tool: 'a', from: '2026-11-15T12:30' });
    expect(query).toEqual({
      tool: 'a',
      from: new Date(2026, 10, 15, 12, 30).getTime(),
      to: undefined,
    });
  });

  it('knows the number of a row', () => {
    const texts = ['1', '907', '0', '-1', '1.5', 'x', '', '9'.repeat(20)];
    expect(texts.filter(isRowNumber)).toEqual(['1', '907']);
  });

  it('sends no moment that is none', () => {
    expect(queryOf({ from: 'soon' }).from).toBeUndefined();
  });

  it.each([
    [{ from: 'soon' }, '“From” is no date and time.'],
    [{ to: '2026-99-99T00:00' }, '“To” is no date and time.'],
    [{ from: '2026-11-15T12:00', to: '2026-11-15T12:00' }, '“From” has to be before “To”.'],
    [{ from: '2026-11-15T11:00', to: '2026-11-15T12:00' }, ''],
    [{}, ''],
  ])('says why %j can find nothing', (filter, problem) => {
    expect(filterProblem(filter)).toBe(problem);
  });
});
