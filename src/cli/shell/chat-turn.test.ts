import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import type { ConversationMessage, ConverseReply, ModelCall } from '../../contract/model.ts';
import type { ToolResult } from '../../contract/result.ts';
import { refusedResult } from '../session/make-call.ts';
import { type TurnDeps, takeTurn } from './chat-turn.ts';
import type { ChatView } from './chat-view.ts';

const failed: ToolResult = refusedResult('shell:chat', new ToolFailure('SERVER_ERROR'), 0);

const reply = (text: string, ...names: readonly string[]): ConverseReply => ({
  text,
  calls: names.map((name, at): ModelCall => ({ id: `id${at}`, name, input: {} })),
  truncated: false,
  model: 'm',
  inputTokens: 10,
  outputTokens: 5,
  costUsd: 0.01,
});

const silent: ChatView = {
  text: () => undefined,
  endText: () => undefined,
  callStarted: () => undefined,
  callEnded: () => undefined,
  turnEnded: () => undefined,
};

/** A model that says these things one after the other, and fails after that. */
const siteOf = (replies: readonly ConverseReply[], over: Partial<TurnDeps> = {}) => {
  const messages: ConversationMessage[] = [];
  const ids: string[] = [];
  const left = [...replies];
  const deps: TurnDeps = {
    messages,
    tools: [],
    system: '',
    bounds: { maxSteps: 5, maxCostUsd: 1 },
    view: silent,
    signal: new AbortController().signal,
    ask: async () => ({ result: failed, reply: left.shift() }),
    call: async (_, id) => {
      ids.push(id);
      return { text: 'done', failed: false, result: undefined };
    },
    ...over,
  };
  return { deps, messages, ids };
};

/** What vendors insist on: every call is answered by the next message. */
const isTakeable = (messages: readonly ConversationMessage[]): boolean =>
  messages.every((message, at) => {
    if (message.role !== 'assistant' || message.calls.length === 0) return true;
    const next = messages[at + 1];
    return (
      next?.role === 'tool' &&
      next.results.map(({ id }) => id).join() === message.calls.map(({ id }) => id).join()
    );
  });

describe('takeTurn', () => {
  it('continues until the model has an answer, and sums up', async () => {
    const { deps, messages, ids } = siteOf([reply('a', 'x', 'y'), reply('', 'x'), reply('b')]);
    const report = await takeTurn(deps, 'hello');
    expect(report).toMatchObject({ text: 'a\nb', steps: 3, inputTokens: 30, outputTokens: 15 });
    expect(report.costUsd).toBeCloseTo(0.03, 10);
    expect(report.calls.map(({ tool }) => tool)).toEqual(['x', 'y', 'x']);
    expect(new Set(ids).size).toBe(3);
    expect(messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
    ]);
    expect(isTakeable(messages)).toBe(true);
  });

  it('THREAT: an endless loop stops at the limit of steps', async () => {
    const { deps, messages } = siteOf(Array.from({ length: 50 }, () => reply('', 'x')));
    expect(await takeTurn(deps, 'go')).toMatchObject({ steps: 5, stopped: 'steps' });
    expect(isTakeable(messages)).toBe(true);
  });

  it('THREAT: an expensive loop stops at the limit of cost', async () => {
    const bounds = { maxSteps: 50, maxCostUsd: 0.025 };
    const { deps } = siteOf(
      Array.from({ length: 50 }, () => reply('', 'x')),
      { bounds },
    );
    expect(await takeTurn(deps, 'go')).toMatchObject({ steps: 3, stopped: 'cost' });
  });

  it('the cost of calls counts against the limit as well', async () => {
    const result = { ...failed, metadata: { ...failed.metadata, cost: 2 } };
    const call = async () => ({ text: '', failed: false, result });
    const { deps } = siteOf([reply('', 'x'), reply('never')], { call });
    expect(await takeTurn(deps, 'go')).toMatchObject({ steps: 1, stopped: 'cost' });
  });

  it('a cancelled turn runs no further call, and leaves a valid history', async () => {
    const leave = new AbortController();
    const ran: string[] = [];
    const call: TurnDeps['call'] = async ({ name }) => {
      ran.push(name);
      leave.abort();
      return { text: 'x', failed: true, result: undefined };
    };
    const { deps, messages } = siteOf([reply('', 'x', 'y'), reply('never')], {
      call,
      signal: leave.signal,
    });
    const report = await takeTurn(deps, 'go');
    expect(ran).toEqual(['x']);
    expect(report).toMatchObject({ steps: 1, text: '' });
    expect(isTakeable(messages)).toBe(true);
    expect(JSON.stringify(messages.at(-1))).toContain('CANCELLED');
  });

  it('a step that fails ends the turn with its result', async () => {
    const { deps } = siteOf([reply('a', 'x')]);
    expect(await takeTurn(deps, 'go')).toMatchObject({ text: 'a', steps: 2, failure: failed });
  });
});
