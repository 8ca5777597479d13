import { describe, expect, it } from 'vitest';
import type { Crib } from '../../contract/crib.ts';
import type { ServerStatus } from '../../contract/servers.ts';
import { unansweredHint } from './find-tool.ts';

const hintFor = (...servers: readonly Partial<ServerStatus>[]): readonly string[] => {
  const list = () => servers.map((each) => ({ state: 'idle', tools: 0, ...each }));
  return unansweredHint({ servers: { list } } as unknown as Pick<Crib, 'servers'>);
};

describe('unansweredHint', () => {
  it('shows the way to the tools of servers that were never listed', () => {
    const hint = hintFor({ name: 'slow', lastError: 'did not answer in 2 s' }, { name: 'mail' });
    expect(hint).toEqual([
      'MCP servers have not answered yet: slow, mail. If the tool is one of theirs, look at them all and accept their tools: toolcrib tools lock --accept-all',
      'Or at one of them: toolcrib servers test mail',
    ]);
  });

  it('names the one server there is, also one that failed before', () => {
    const [hint] = hintFor({ name: 'slow', lastError: 'did not answer in 2 s' });
    expect(hint).toContain('toolcrib servers test slow');
  });

  it('benign: is silent where all have answered or are switched off', () => {
    expect(hintFor({ name: 'a', tools: 3 }, { name: 'b', state: 'disabled' })).toEqual([]);
  });
});
