import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../../test/fixtures/test-crib.ts';
import { tryExamples } from './try-examples.ts';

const collect = async <T>(all: AsyncIterable<T>): Promise<T[]> => {
  const items: T[] = [];
  for await (const item of all) items.push(item);
  return items;
};

const example = (title: string, input: object = {}, output?: unknown) => ({
  title,
  input,
  ...(output !== undefined && { output }),
});

describe('trying examples', () => {
  it('reports what passed, differed and failed, and shows what is running', async () => {
    const tool = aTool({
      run: (input: { fail?: boolean }, { progress }) => {
        progress(0.5, 'half');
        if (input.fail) throw new Error('broken');
        return input;
      },
    });
    const crib = await testCrib([tool]);
    const shown: string[] = [];
    const named = [
      example('good', { a: 1 }, { a: 1 }),
      example('other', { a: 1 }, { a: 2 }),
      example('bad', { fail: true }),
    ].map((each) => ({ tool, example: each }));
    const outcomes = await collect(
      tryExamples(crib, named, {
        signal: new AbortController().signal,
        show: (label) => ({
          update: (fraction, said) => void shown.push(`${label} ${fraction} ${said}`),
          pause: () => undefined,
          stop: () => void shown.push(`${label} done`),
        }),
      }),
    );
    await crib.close();
    expect(outcomes.map(({ title, passed }) => [title, passed])).toEqual([
      ['good', true],
      ['other', false],
      ['bad', false],
    ]);
    expect(outcomes[1]?.differences).toEqual([{ path: '/a', expected: 2, actual: 1 }]);
    expect(shown.slice(0, 2)).toEqual(['echo: good 0.5 half', 'echo: good done']);
    expect(shown).toHaveLength(6);
  });

  it('stops the running example when interrupted, and tries none after it', async () => {
    const interrupted = new AbortController();
    const tool = aTool({
      run: (_input: unknown, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
          interrupted.abort();
        }),
    });
    const crib = await testCrib([tool]);
    const named = [example('one'), example('two')].map((each) => ({ tool, example: each }));
    const outcomes = await collect(tryExamples(crib, named, { signal: interrupted.signal }));
    await crib.close();
    expect(outcomes).toMatchObject([{ title: 'one', passed: false, status: 'cancelled' }]);
  });
});
