/** The tool of the model's steps exists for the length of a turn, and for nobody but the shell. */
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ConversationMessage, Model } from '../../contract/model.ts';
import { openChat } from './chat.ts';
import { CHAT_TOOL } from './chat-tool.ts';

const signal = new AbortController().signal;

/** A chat asks no single questions. */
const talking = (converse: NonNullable<Model['converse']>): Model => ({
  configured: true,
  generate: () => Promise.reject(new Error('not asked')),
  converse,
});

const talkWith = async (converse: NonNullable<Model['converse']>) => {
  const model = talking(converse);
  const crib = await testCrib([aTool()], { model });
  const { io } = fakeIo();
  const messages: ConversationMessage[] = [];
  const bounds = { maxSteps: 3, maxCostUsd: 1 };
  return { crib, chat: openChat({ io, crib, caller: {}, bounds, messages }) };
};

const said = { text: 'Hello.', calls: [], truncated: false, model: 'm' } as const;

describe('a chat in the shell', { timeout: 30_000 }, () => {
  it('leaves no tool in the crib after a turn', async () => {
    let seen: readonly string[] = [];
    const { crib, chat } = await talkWith(async ({ tools = [] }) => {
      seen = tools.map(({ name }) => name);
      return { ...said, inputTokens: 1, outputTokens: 1 };
    });
    for (const words of ['hi', 'again']) {
      expect(await chat.say(words, signal)).toBe(0);
      expect(seen).toEqual(['echo']);
      expect(crib.tools.list().map(({ tool }) => tool.name)).toEqual(['echo']);
      expect(crib.tools.search('conversation shell').map(({ entry }) => entry.tool.name)).toEqual(
        [],
      );
      const { byTool } = await crib.tools.tokenReport();
      expect(byTool.map(({ tool }) => tool)).toEqual(['echo']);
    }
    const refused = await crib.execute(CHAT_TOOL, { turn: 1, step: 1 });
    expect(refused.error?.code).toBe('TOOL_NOT_FOUND');
    const rows = await crib.audit.query({ tool: CHAT_TOOL, kind: 'outcome' });
    expect(rows.filter(({ status }) => status === 'success')).toHaveLength(2);
    await crib.close();
  });

  it('a call of one chat does not answer a call of the next in the same session', async () => {
    let ran = 0;
    const count = aTool({ name: 'count', run: (() => ++ran) as never });
    const converse: Model['converse'] = async ({ messages }) => {
      const isOver = messages.at(-1)?.role === 'tool';
      const calls = isOver ? [] : [{ id: 'c', name: 'count', input: {} }];
      return { ...said, calls, inputTokens: 1, outputTokens: 1 };
    };
    const model = talking(converse);
    const crib = await testCrib([count], { model });
    for (const _ of ['first', 'second']) {
      const bounds = { maxSteps: 3, maxCostUsd: 1 };
      const caller = { sessionId: 'work' };
      const chat = openChat({ io: fakeIo().io, crib, caller, bounds, messages: [] });
      expect(await chat.say('count', signal)).toBe(0);
    }
    expect(ran).toBe(2);
    await crib.close();
  });

  it('a model that makes the same call in every step is stopped by the loop breaker', async () => {
    let ran = 0;
    const count = aTool({ name: 'count', run: (() => ++ran) as never });
    const converse: Model['converse'] = async () => {
      const calls = [{ id: 'c', name: 'count', input: { again: true } }];
      return { ...said, calls, inputTokens: 1, outputTokens: 1 };
    };
    const crib = await testCrib([count], { model: talking(converse) });
    const bounds = { maxSteps: 21, maxCostUsd: 1 };
    const caller = { agentId: 'model' };
    const chat = openChat({ io: fakeIo().io, crib, caller, bounds, messages: [] });
    await chat.say('count for ever', signal);
    expect(ran).toBe(10);
    const { audit } = await crib.store();
    const rows = await audit.query({ tool: 'count', kind: 'outcome' });
    const refused = rows.filter(({ code }) => code === 'LOOP_DETECTED');
    expect([rows.length > 10, refused.length]).toEqual([true, rows.length - 10]);
    await crib.close();
  });

  it('leaves no tool in the crib when a step fails', async () => {
    const { crib, chat } = await talkWith(() => Promise.reject(new Error('down')));
    expect(await chat.say('hi', signal)).toBe(1);
    expect(crib.tools.has(CHAT_TOOL)).toBe(false);
    await crib.close();
  });
});
