import { describe, expect, it } from 'vitest';
import { callCounts, MAX_LINES } from './call-counts.ts';

const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `tool-${at}`, calls: count - at }));

describe('the calls of a tool in the catalog', () => {
  it('are none where the server lists all tools that were called', () => {
    const { callsOf } = callCounts(0, lines(3));
    expect([callsOf('tool-0'), callsOf('idle')]).toEqual([3, 0]);
  });

  it('are not known for a tool that a full list leaves out', () => {
    const { callsOf } = callCounts(0, lines(MAX_LINES));
    expect([callsOf('tool-999'), callsOf('rare')]).toEqual([1, undefined]);
  });
});
