import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { conditional } from './conditional.ts';
import { parallel } from './parallel.ts';
import { sequence } from './sequence.ts';

const LENIENT = { version: 1 as const, rules: [{ name: 'all', effect: 'allow' as const }] };
const open: TestCrib[] = [];
afterEach(async () => {
  for (const crib of open.splice(0)) await crib.close();
});

const cribOf = async (tools: readonly Tool[], options?: CribOptions): Promise<TestCrib> => {
  const crib = await testCrib(tools, options);
  open.push(crib);
  return crib;
};

const search = defineTool({
  name: 'search',
  description: 'Finds a page.',
  tier: 'read_only',
  timeoutMs: 1000,
  input: z.strictObject({ query: z.string() }),
  output: z.object({ url: z.string(), rank: z.number() }),
  run: ({ query }) => ({ url: `https://${query}.test`, rank: 1 }),
});
const scrape = defineTool({
  name: 'scrape',
  description: 'Reads a page.',
  tier: 'external_api',
  timeoutMs: 2000,
  permissions: ['web:read'],
  needs: { hosts: ['*.test'] },
  input: z.strictObject({ url: z.string() }),
  output: z.object({ text: z.string() }),
  run: ({ url }) => ({ text: `text of ${url}` }),
});
const fails = aTool({
  name: 'fails',
  run: () => {
    throw new ToolFailure('NETWORK', 'The network is down.');
  },
});
const echo = aTool();

describe('options of another type', () => {
  const part = aTool();
  it.each([
    ['no options', () => sequence([part], null as never), 'has to be an object'],
    [
      'a text',
      () => sequence([part], { stopOnError: 'no' } as never),
      'stopOnError has to be true',
    ],
    ['a number', () => sequence([part], { transformOutput: 5 } as never), 'has to be a function'],
    ['a text', () => parallel([part], { namespaced: 'no' } as never), 'namespaced has to be true'],
    ['a branch', () => conditional([null] as never), 'a branch is an object'],
    [
      'one tool',
      () => conditional([{ condition: () => true, tools: [part] }], { fallback: part } as never),
      'fallback has to be a list',
    ],
  ])('%s: is refused, and says which', (_what, compose, message) => {
    expect(compose).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(compose).toThrow(message);
  });
});

describe('sequence', () => {
  it('is a tool that hands the fields on that the next one knows', async () => {
    const both = sequence([search, scrape]);
    expect(both).toMatchObject({
      name: 'sequence:search.scrape',
      source: 'composed',
      tier: 'external_api',
      timeoutMs: 3000,
      sink: true,
      needs: { hosts: ['*.test'] },
      permissions: ['tool:search', 'web:read'],
      dependencies: [
        { tool: 'search', range: '1.0.0' },
        { tool: 'scrape', range: '1.0.0' },
      ],
      composition: { kind: 'sequence', parts: ['search', 'scrape'], maxCalls: 2 },
    });
    const crib = await cribOf([search, scrape, both], { policy: LENIENT });
    const { data } = await crib.execute(both.name, { query: 'cel' });
    expect(data).toMatchObject({
      output: { text: 'text of https://cel.test' },
      results: [
        { tool: 'search', success: true, status: 'success' },
        { tool: 'scrape', success: true, executionId: expect.any(String) },
      ],
    });
  });

  it('can be registered, called by name, dry-run, and shown to a model', async () => {
    const twice = sequence([echo, echo], { name: 'twice', description: 'Echoes twice.' });
    const crib = await cribOf([echo, twice]);
    const result = await crib.execute('twice', { a: 1 });
    expect(result).toMatchObject({ success: true, data: { output: { a: 1 } } });
    expect(result.metadata.duration).toBeGreaterThanOrEqual(0);
    const dry = await crib.execute('twice', { a: 1 }, { dryRun: true });
    expect(dry.data).toMatchObject({ verdict: 'allow' });
    expect(crib.tools.get('twice')?.tool.source).toBe('composed');
    expect(JSON.stringify(crib.tools.forModel('openai').definitions)).toContain('Echoes twice.');
  });

  it('can be nested, and passes on the value of the inner one, not its report', async () => {
    const inner = sequence([search, aTool({ name: 'same' })], { name: 'inner' });
    const outer = sequence([inner, aTool({ name: 'last' })], { name: 'outer' });
    const crib = await cribOf([
      search,
      aTool({ name: 'same' }),
      inner,
      aTool({ name: 'last' }),
      outer,
    ]);
    const result = await crib.execute('outer', { query: 'q' });
    expect(result.data).toMatchObject({ output: { url: 'https://q.test', rank: 1 } });
    expect(outer.composition?.maxCalls).toBe(4);
  });

  it('gives transformOutput the tool that really comes next', async () => {
    const seen: string[] = [];
    const three = sequence([echo, aTool({ name: 'b' }), aTool({ name: 'c' })], {
      name: 'three',
      transformOutput: (output, next) => {
        seen.push(next.name);
        return { from: output };
      },
    });
    const crib = await cribOf([echo, aTool({ name: 'b' }), aTool({ name: 'c' }), three]);
    const result = await crib.execute('three', { n: 1 });
    expect(result.data).toMatchObject({ output: { from: { from: { n: 1 } } } });
    expect(seen).toEqual(['b', 'c']);
  });

  it('fails with the code of its part, and tells what was done', async () => {
    const whole = sequence([search, fails, echo], { name: 'whole' });
    const crib = await cribOf([search, fails, echo, whole]);
    const { success, status, error } = await crib.execute('whole', { query: 'q' });
    expect({ success, status }).toEqual({ success: false, status: 'failure' });
    expect(error).toMatchObject({
      code: 'NETWORK',
      message: 'Part 2 of 3, fails, failed: The network is down.',
      partial: {
        results: [
          { tool: 'search', success: true, data: { url: 'https://q.test' } },
          { tool: 'fails', success: false, error: { code: 'NETWORK' } },
          { tool: 'echo', status: 'skipped' },
        ],
      },
    });
  });

  it('continues after a failure without stopOnError, with the input of the failed part, and counts as failed', async () => {
    const whole = sequence([echo, fails, echo], { name: 'whole', stopOnError: false });
    const crib = await cribOf([fails, echo, whole]);
    const { error } = await crib.execute('whole', { n: 7 });
    expect(error?.partial).toMatchObject({
      results: [{ success: true }, { success: false }, { success: true, data: { n: 7 } }],
    });
  });

  it('does not blame the caller for an input that another part made', async () => {
    const strict = aTool({ name: 'strict', input: z.strictObject({ text: z.string() }) } as never);
    const whole = sequence([echo, strict], { name: 'whole' });
    const crib = await cribOf([echo, strict, whole]);
    const { error } = await crib.execute('whole', { text: 3 });
    expect(error).toMatchObject({ code: 'EXECUTION_FAILED', cause: 'VALIDATION_ERROR' });
  });

  it('fails when transformOutput throws, and names the tool', async () => {
    const whole = sequence([echo, echo], {
      name: 'whole',
      transformOutput: () => {
        throw new Error('odd');
      },
    });
    const crib = await cribOf([echo, whole]);
    const { error } = await crib.execute('whole', {});
    expect(error?.message).toBe('transformOutput failed for echo: odd');
    expect(error?.partial).toMatchObject({ results: [{ success: true }, { status: 'skipped' }] });
  });

  it.each([
    ['no tools', () => sequence([]), 'at least one tool'],
    ['no tool', () => sequence([{ name: 'x' } as never]), 'each as defineTool makes it'],
    ['too many', () => sequence(Array.from({ length: 10_000 }, () => echo)), 'at most 100 tools'],
    ['a misspelt option', () => sequence([echo], { stopOnEror: true } as never), 'stopOnEror'],
    [
      'an output that never fits',
      () => sequence([scrape, search]),
      'the output of scrape cannot be the input of search: query is missing. Give transformOutput.',
    ],
    [
      'an output of another type',
      () =>
        sequence([
          aTool({ name: 'n', output: { type: 'object', properties: { url: { type: 'number' } } } }),
          scrape,
        ]),
      'url is number, not string',
    ],
    [
      'an output that is no object',
      () => sequence([aTool({ name: 'n', output: { type: 'string' } }), scrape]),
      'it is string, not object',
    ],
  ])('refuses %s when it is built', (_what, build, message) => {
    expect(build).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('says which part is not registered', async () => {
    const crib = await cribOf([
      sequence([echo, search], { name: 'whole', transformOutput: (o) => o }),
    ]);
    const { error } = await crib.execute('whole', {});
    expect(error).toMatchObject({
      code: 'DEPENDENCY_MISSING',
      message: expect.stringContaining('echo'),
    });
  });

  it('makes long names legal and different', () => {
    const long = (last: string) =>
      sequence([aTool({ name: 'a'.repeat(128) }), aTool({ name: last })]).name;
    expect(long('b')).toHaveLength(128);
    expect(long('b')).not.toBe(long('c'));
  });
});

describe('parallel', () => {
  const gate = () => {
    const started: string[] = [];
    const release: (() => void)[] = [];
    const slow = (name: string) =>
      aTool({
        name,
        run: async (_input: unknown, { signal }: { signal: AbortSignal }) => {
          started.push(name);
          await new Promise<void>((resolve, reject) => {
            release.push(resolve);
            signal.addEventListener('abort', () => reject(new Error('aborted')));
          });
          return name;
        },
      } as never);
    return { started, release, slow };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('gives each tool the arguments that its schema knows', async () => {
    const both = parallel([search, scrape], { name: 'both' });
    expect(both).toMatchObject({ timeoutMs: 2000, tier: 'external_api' });
    expect(both.input).toMatchObject({ required: ['query', 'url'], additionalProperties: false });
    const crib = await cribOf([search, scrape, both], { policy: LENIENT });
    const { data } = await crib.execute('both', { query: 'a', url: 'u' });
    expect(data).toMatchObject({
      search: { success: true, data: { url: 'https://a.test' } },
      scrape: { success: true, data: { text: 'text of u' } },
    });
  });

  it('keeps the results of a tool that comes twice apart, each with its own arguments', async () => {
    const both = parallel([search, search], { name: 'both', namespaced: true });
    const crib = await cribOf([search, both]);
    const { data } = await crib.execute('both', {
      search: { query: 'a' },
      search_2: { query: 'b' },
    });
    expect(data).toMatchObject({
      search: { data: { url: 'https://a.test' } },
      search_2: { data: { url: 'https://b.test' } },
    });
  });

  it('names both tools when they want another type under one name', () => {
    const number = aTool({ name: 'number', input: z.object({ url: z.number() }) } as never);
    expect(() => parallel([scrape, number])).toThrow(
      'url is string for scrape and number for number. Give namespaced: true.',
    );
    expect(parallel([scrape, number], { namespaced: true }).input).toMatchObject({
      properties: { scrape: { type: 'object' }, number: { type: 'object' } },
    });
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses maxConcurrency %s', (maxConcurrency) => {
    expect(() => parallel([echo], { maxConcurrency })).toThrow('whole number above 0');
  });

  it('starts the next part as soon as one ends, not batch by batch', async () => {
    const { started, release, slow } = gate();
    const parts = [slow('a'), slow('b'), slow('c'), slow('d')];
    const whole = parallel(parts, { name: 'whole', maxConcurrency: 2 });
    const crib = await cribOf([...parts, whole]);
    const done = crib.execute('whole', {});
    await expect.poll(() => started).toEqual(['a', 'b']);
    release[1]?.();
    await expect.poll(() => started).toEqual(['a', 'b', 'c']);
    release[2]?.();
    await expect.poll(() => started).toEqual(['a', 'b', 'c', 'd']);
    release[0]?.();
    release[3]?.();
    expect((await done).data).toMatchObject({ a: { data: 'a' }, d: { data: 'd' } });
    expect(whole.timeoutMs).toBe(60_000);
  });

  it('cancels what runs and starts nothing more with stopOnError, and reports what is done', async () => {
    const { started, slow } = gate();
    const parts = [echo, fails, slow('a'), slow('b')];
    const whole = parallel(parts, { name: 'whole', maxConcurrency: 2, stopOnError: true });
    const crib = await cribOf([...parts, whole]);
    const { error } = await crib.execute('whole', {});
    expect(error).toMatchObject({
      code: 'NETWORK',
      message: 'Part fails failed: The network is down.',
    });
    expect(error?.partial).toMatchObject({
      echo: { success: true },
      fails: { success: false },
      b: { status: 'skipped' },
    });
    await turn();
    expect(started).not.toContain('b');
  });

  it('lets the others finish without stopOnError, and has failed', async () => {
    const parts = [fails, echo];
    const crib = await cribOf([...parts, parallel(parts, { name: 'whole' })]);
    const { error } = await crib.execute('whole', {});
    expect(error?.partial).toMatchObject({ fails: { success: false }, echo: { success: true } });
  });

  it('hands the values of its parts on inside a sequence', async () => {
    const both = parallel([echo, aTool({ name: 'b' })], { name: 'both' });
    const whole = sequence([both, aTool({ name: 'last' })], { name: 'whole' });
    const crib = await cribOf([echo, aTool({ name: 'b' }), both, aTool({ name: 'last' }), whole]);
    const { data } = await crib.execute('whole', { n: 1 });
    expect(data).toMatchObject({ output: { echo: { n: 1 }, b: { n: 1 } } });
  });
});

describe('conditional', () => {
  const small = aTool({ name: 'small', run: () => 'small' });
  const large = aTool({ name: 'large', tier: 'write', run: () => 'large' });
  const bySize = conditional(
    [
      { name: 'broken', condition: () => Promise.reject(new Error('no')), tools: [large] },
      { name: 'odd', condition: () => 'yes' as never, tools: [large] },
      { name: 'low', condition: (input) => (input as { n: number }).n < 10, tools: [small, echo] },
    ],
    { name: 'by_size', transformOutput: (output) => ({ output }) },
  );

  it('runs the first branch that fits, and warns of conditions that fail', async () => {
    const crib = await cribOf([small, large, echo, bySize]);
    const result = await crib.execute('by_size', { n: 1 });
    expect(result.data).toMatchObject({ branch: 'low', output: { output: 'small' } });
    expect(result.warnings).toEqual([
      'The condition of branch broken counts as false: no.',
      'The condition of branch odd counts as false: it gave string.',
    ]);
    expect(bySize).toMatchObject({ tier: 'write', timeoutMs: 60_000 });
  });

  it('fails with NO_BRANCH_MATCHED without a fallback, and takes the fallback otherwise', async () => {
    const never = { condition: () => false, tools: [small] };
    const none = conditional([never], { name: 'none' });
    const other = conditional([never], { name: 'other', fallback: [echo] });
    const crib = await cribOf([small, echo, none, other]);
    expect((await crib.execute('none', {})).error).toMatchObject({
      code: 'NO_BRANCH_MATCHED',
      retryable: false,
      recoverable: false,
      suggestions: ['The branches are 1.'],
    });
    expect((await crib.execute('other', { n: 1 })).data).toMatchObject({
      branch: 'fallback',
      output: { n: 1 },
    });
  });

  it('tells the branch of a failure', async () => {
    const whole = conditional([{ condition: () => true, tools: [fails] }], { name: 'whole' });
    const crib = await cribOf([fails, whole]);
    const { error } = await crib.execute('whole', {});
    expect(error?.partial).toMatchObject({ branch: '1', results: [{ tool: 'fails' }] });
  });

  it.each([
    ['no branch', () => conditional([])],
    ['a condition that is none', () => conditional([{ condition: 1 as never, tools: [echo] }])],
    [
      'a branch called fallback',
      () => conditional([{ name: 'fallback', condition: () => true, tools: [echo] }]),
    ],
    ['a branch without tools', () => conditional([{ condition: () => true, tools: [] }])],
  ])('refuses %s', (_what, build) => expect(build).toThrow('conditional'));
});

describe('the time limit of a composed tool', () => {
  it('ends what runs, and tells the parts that had ended', async () => {
    const aborted: string[] = [];
    const slow = aTool({
      name: 'slow',
      run: (async (_input: unknown, { signal }: { signal: AbortSignal }) => {
        signal.addEventListener('abort', () => aborted.push('slow'));
        return new Promise(() => undefined);
      }) as never,
    });
    const whole = sequence([echo, slow], { name: 'whole', timeoutMs: 50 });
    const crib = await cribOf([echo, slow, whole]);
    const done = crib.execute('whole', { n: 1 });
    for (let turns = 0; turns < 20; turns += 1) await new Promise((next) => setImmediate(next));
    await crib.runtime.advance(60);
    const { status, error } = await done;
    expect(status).toBe('timeout');
    const ended = expect.objectContaining({ tool: 'echo', data: { n: 1 } });
    expect(error?.partial).toEqual({ results: expect.arrayContaining([ended]) });
    expect(aborted).toEqual(['slow']);
  });
});

describe('the retry of a composed tool', () => {
  const flaky = (times: number) => {
    let calls = 0;
    return aTool({
      name: 'flaky',
      retry: RetryPolicies.NONE,
      run: () => {
        calls += 1;
        if (calls <= times) throw new ToolFailure('RATE_LIMITED', 'Later.');
        return { calls };
      },
    });
  };
  const retry = { maxRetries: 2, backoff: { type: 'none' } } as const;

  it('repeats the whole while nothing has had an effect', async () => {
    const part = flaky(1);
    const write = aTool({ name: 'write_it', tier: 'write' });
    const whole = sequence([echo, part, write], { name: 'whole', retry });
    const crib = await cribOf([echo, part, write, whole]);
    const result = await crib.execute('whole', {});
    expect(result.metadata.attempts).toBe(2);
    expect(result.data).toMatchObject({ output: { calls: 2 } });
  });

  it('never repeats a part that had an effect, also for a code that says "not begun"', async () => {
    let written = 0;
    const write = aTool({
      name: 'write_it',
      tier: 'write',
      run: () => {
        written += 1;
        return {};
      },
    });
    const part = flaky(5);
    const whole = sequence([write, part], { name: 'whole', retry });
    const crib = await cribOf([write, part, whole]);
    expect((await crib.execute('whole', {})).error?.code).toBe('RATE_LIMITED');
    expect(written).toBe(1);
  });
});

describe('types', () => {
  it('of a sequence are the input of its first tool and the data of its last', async () => {
    const both = sequence([search, scrape]);
    const typed: Tool<{ query: string }, { output: { text: string } }> = both;
    const one: Tool<{ query: string }, { output: { url: string } }> = sequence([search]);
    // @ts-expect-error: the data of the last tool is no number
    const wrong: Tool<{ query: string }, { output: number }> = both;
    expect([typed.name, one.name, wrong.name]).toHaveLength(3);
  });
});
