/** Threat "JavaScript sandbox": messages of a thread that code had a hand in harm the host in no way. */
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { ToolFailure } from '../contract/errors.ts';
import { runInThread } from './run-in-thread.ts';

/** Says what it was asked to say, as a realm would whose JSON the code replaced. */
const PROGRAM = `
const { parentPort } = require('node:worker_threads');
const usage = { cpuMs: 0, peakMemoryBytes: 0 };
const end = (how, text) => parentPort.postMessage({ kind: 'end', end: { how, text }, stdout: '', stderr: '', reusable: false, usage });
parentPort.on('message', ({ kind, code, text }) => {
  const { how, text: said } = kind === 'run' ? JSON.parse(code) : { how: 'returned', text: '"answered"' };
  if (kind === 'refusal') end('returned', '"refused"');
  else if (how === 'request') parentPort.postMessage({ kind: 'request', id: 1, text: said });
  else end(how, said);
});`;

const ended = async (how: string, text: string | undefined) => {
  const thread = new Worker(PROGRAM, { eval: true });
  const asked: unknown[] = [];
  try {
    const end = await runInThread({
      thread,
      timeMs: 10_000,
      request: {
        task: { kind: 'code', code: '', input: undefined },
        config: { type: 'wasm' },
        signal: new AbortController().signal,
        host: { request: async (...words) => void asked.push(words) },
      },
      runRequest: {
        kind: 'run',
        name: 'tool.js',
        memoryBytes: 1,
        outputBytes: 1,
        code: JSON.stringify({ how, text }),
      },
    });
    return { end, asked };
  } finally {
    await thread.terminate();
  }
};

describe('a thread whose code replaced the JSON of its realm', () => {
  it.each([
    ...['null', '5', '"x"', '[]', '{', undefined],
    '{"name":5,"message":{},"stack":[],"request":"1"}',
  ])('threat: an error told as %s is an error of the code, and no crash', async (text) => {
    const { end } = await ended('threw', text);
    const { failure } = end as unknown as { readonly failure: ToolFailure };
    expect(failure.code).toBe('EXECUTION_FAILED');
    expect(failure.message).toContain('thrown without a message');
  });

  it.each(['null', '5', '{', '{"method":5,"args":[]}', '{"method":"call","args":{}}'])(
    'threat: a request told as %s reaches no host',
    async (text) => {
      const { end, asked } = await ended('request', text);
      expect(end).toMatchObject({ outcome: { value: 'refused' } });
      expect(asked).toEqual([]);
    },
  );

  it('benign: a request and an error that can be read are taken as they are', async () => {
    const { end, asked } = await ended('request', '{"method":"call","args":["x"]}');
    expect(end).toMatchObject({ outcome: { value: 'answered' } });
    expect(asked).toEqual([['call', ['x']]]);
    const thrown = await ended(
      'threw',
      '{"name":"TypeError","message":"odd","stack":"tool.js:2:1"}',
    );
    expect(thrown.end).toMatchObject({ failure: { message: 'TypeError: odd (tool.js:2:1)' } });
  });
});
