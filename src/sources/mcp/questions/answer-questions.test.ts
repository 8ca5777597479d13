import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../../test/fixtures/fake-runtime.ts';
import { type RunningCall, RunningCalls } from '../call/running-calls.ts';
import type { McpDeps, ServerSettings } from '../server-settings.ts';
import { answerQuestions } from './answer-questions.ts';

type Handler = (
  request: { params: object },
  extra: { mcpReq: { _meta: object; signal: AbortSignal } },
) => Promise<{ action: string }>;

const openServer = () => {
  const calls = new RunningCalls({ elapsed: () => 0, maxCallMs: 60_000 });
  let handler: Handler | undefined;
  const client = { setRequestHandler: (_: string, handle: Handler) => (handler = handle) };
  const deps = { runtime: fakeRuntime(), nameKind: () => 'plain' } as unknown as McpDeps;
  const settings = { name: 'forms' } as ServerSettings;
  answerQuestions(client as unknown as Client, calls, { settings, deps });
  const ask = (call: RunningCall) =>
    (handler as Handler)(
      { params: { message: 'Which colour?', requestedSchema: { type: 'object', properties: {} } } },
      { mcpReq: { _meta: { 'toolcrib/call': call.key }, signal: new AbortController().signal } },
    );
  return { calls, ask };
};

const callOf = (calls: RunningCalls, userId: string, answer: Promise<void>) =>
  calls.add(
    {
      elicit: async () => answer.then(() => ({ action: 'accept' as const, content: {} })),
      elicitUrl: undefined,
      sample: undefined,
    },
    { userId, agentId: 'agent', sessionId: userId },
  );

describe('the open questions of an MCP server', () => {
  it('threat: of one user do not keep the server from asking another', async () => {
    const { calls, ask } = openServer();
    let answer: () => void = () => undefined;
    const mallory = callOf(calls, 'mallory', new Promise((resolve) => (answer = resolve)));
    const ada = callOf(calls, 'ada', Promise.resolve());
    const open = Array.from({ length: 5 }, () => ask(mallory));
    expect((await ask(mallory)).action).toBe('decline');
    expect((await ask(ada)).action).toBe('accept');
    answer();
    expect((await Promise.all(open)).map(({ action }) => action)).toEqual(Array(5).fill('accept'));
  });

  it('make room for new ones when they are answered', async () => {
    const { calls, ask } = openServer();
    const ada = callOf(calls, 'ada', Promise.resolve());
    for (let count = 0; count < 8; count++) expect((await ask(ada)).action).toBe('accept');
  });
});
