import { describe, expect, it } from 'vitest';
import { createCommandJudge } from './judge-command.ts';

describe('judging commands', () => {
  it('refuses what the parser breaks on', () => {
    const judge = createCommandJudge({
      parse: () => {
        throw new RangeError('Maximum call stack size exceeded');
      },
      forEachChild: () => undefined,
    });
    const severities: string[] = [];
    judge({ text: 'f()f()' }, ({ severity }) => void severities.push(severity));
    expect(severities).toEqual(['high']);
  });
});
