import { describe, expect, it } from 'vitest';
import { rowsOf } from './source-row.ts';

const SERVER = { transport: 'stdio', resources: 0, prompts: 0, restarts: 0 };
const REFUSED = [{ name: 'watch', reason: 'a subscription' }];

describe('rows of the sources page', () => {
  it('has APIs and MCP servers, each with its kind and state', () => {
    const rows = rowsOf(
      [{ ...SERVER, name: 'words', state: 'ready', tools: 1 }],
      [
        {
          ...{ name: 'lamps', kind: 'openapi', state: 'failed', location: 'x', tools: 2 },
          ...{ refused: REFUSED, readAt: 5, lastError: 'no answer' },
        },
      ],
    );
    expect(rows).toMatchObject([
      { kind: 'openapi', name: 'lamps', state: { word: 'failed' }, refused: 1, at: 5 },
      { kind: 'mcp', name: 'words', state: { word: 'ready' }, refused: 0, at: undefined },
    ]);
  });

  it('shows a state that it does not know by its own word', () => {
    const source = { name: 'a', kind: 'n8n', state: 'odd', location: '', tools: 0, refused: [] };
    expect(rowsOf([], [source])[0]?.state).toMatchObject({ word: 'odd', command: '' });
  });

  it('names the command that helps', () => {
    const source = { name: 'a', kind: 'n8n', location: '', tools: 0, refused: [] };
    const [off, login] = rowsOf(
      [],
      [
        { ...source, state: 'disabled' },
        { ...source, state: 'needs_login' },
      ],
    );
    expect(off?.state.command).toBe('toolcrib sources enable a');
    expect(login?.state.command).toBe('toolcrib sources info a\ntoolcrib sources login a');
  });

  it('quotes a name in a command as a shell takes it', () => {
    const source = { kind: 'n8n', location: '', tools: 0, refused: [], state: 'disabled' };
    const [row] = rowsOf([], [{ ...source, name: "a'; rm -rf ~" }]);
    expect(row?.state.command).toBe(`toolcrib sources enable 'a'\\''; rm -rf ~'`);
  });
});
