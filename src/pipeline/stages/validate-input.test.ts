import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';

const zod = z.strictObject({ a: z.number(), b: z.number().default(2), c: z.string().optional() });
const json = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number', default: 2 }, c: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};

describe.each([
  ['zod', zod],
  ['json schema', json],
])('validate input with %s', (_name, input) => {
  it('hands the tool what was parsed, defaults applied, and leaves the original alone', async () => {
    const crib = await testCrib([aTool({ input: input as never })]);
    const sent = { a: 1 };
    expect((await crib.execute('echo', sent)).data).toEqual({ a: 1, b: 2 });
    expect(sent).toEqual({ a: 1 });
  });

  it('reports all errors at once, with paths', async () => {
    const crib = await testCrib([aTool({ input: input as never })]);
    const { error } = await crib.execute('echo', { a: 'x', c: 5 });
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(error?.issues?.map(({ path }) => path.join('.')).sort()).toEqual(['a', 'c']);
  });

  it('says of a misspelt field what is missing and what may be meant', async () => {
    const spelt = aTool({
      input: (input === zod
        ? z.strictObject({ expression: z.string() })
        : {
            type: 'object',
            properties: { expression: { type: 'string' } },
            required: ['expression'],
            additionalProperties: false,
          }) as never,
    });
    const crib = await testCrib([spelt]);
    const { error } = await crib.execute('echo', { expresion: '1', unlike: 1 });
    expect(error?.issues).toHaveLength(3);
    expect(error?.issues).toEqual(
      expect.arrayContaining([
        { path: ['expression'], message: 'is required' },
        { path: ['expresion'], message: 'is not a known field; did you mean expression?' },
        { path: ['unlike'], message: 'is not a known field' },
      ]),
    );
  });

  it('refuses prototype keys at any depth', async () => {
    const crib = await testCrib([aTool({ input: { type: 'object' } })]);
    for (const hostile of [
      '{"a":1,"__proto__":{"admin":true}}',
      '{"a":{"b":[{"__proto__":1}]}}',
      '{"constructor":{"prototype":{"x":1}}}',
    ]) {
      const { error } = await crib.execute('echo', JSON.parse(hostile));
      expect(error?.code).toBe('VALIDATION_ERROR');
    }
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it('never puts argument values into messages', async () => {
    const crib = await testCrib([aTool({ input: input as never })]);
    const { error } = await crib.execute('echo', { a: 'canary-value' });
    expect(JSON.stringify(error)).not.toContain('canary-value');
  });
});

describe('validate input', () => {
  it('caps size and depth', async () => {
    const crib = await testCrib([aTool()], { config: { validation: { maxInputBytes: 1000 } } });
    expect((await crib.execute('echo', { a: 'x'.repeat(2000) })).error?.code).toBe(
      'VALIDATION_ERROR',
    );
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    const roomy = await testCrib([aTool({ input: {} })]);
    expect((await roomy.execute('echo', deep)).error?.code).toBe('VALIDATION_ERROR');
  });

  it('asks the rules of the tool; one that throws refuses', async () => {
    const even = {
      name: 'even',
      check: (input: { n: number }) => (input.n % 2 ? 'n must be even' : undefined),
    };
    const crib = await testCrib([aTool({ validators: [even] as never })]);
    expect((await crib.execute('echo', { n: 2 })).success).toBe(true);
    expect((await crib.execute('echo', { n: 3 })).error?.message).toBe('n must be even');
    const broken = { name: 'broken', check: () => Promise.reject(new Error('no')) };
    const strict = await testCrib([aTool({ validators: [broken] as never })]);
    expect((await strict.execute('echo', {})).error?.message).toContain('rule broken');
  });

  it('hands rules the caller and the time', async () => {
    const seen: unknown[] = [];
    const rule = { name: 'look', check: (_: unknown, facts: unknown) => void seen.push(facts) };
    const crib = await testCrib([aTool({ validators: [rule] })]);
    await crib.execute('echo', {}, { userId: 'ann' });
    expect(seen).toMatchObject([{ caller: { userId: 'ann' }, now: crib.runtime.now() }]);
  });

  it('asks rules from outside: for one tool, for all, and never by an inherited name', async () => {
    const rule = (name: string, fault?: string) => ({ name, check: () => fault });
    const tools = [aTool(), aTool({ name: 'other' }), aTool({ name: 'constructor' })];
    const crib = await testCrib(tools, {
      validators: { echo: [rule('one', 'not this one')], '*': [rule('all')] },
    });
    expect((await crib.execute('echo', {})).error?.message).toBe('not this one');
    expect((await crib.execute('other', {})).success).toBe(true);
    expect((await crib.execute('constructor', {})).success).toBe(true);
    const closed = await testCrib(tools, { validators: { '*': [rule('all', 'closed')] } });
    for (const { name } of tools) {
      expect((await closed.execute(name, {})).error?.message).toBe('closed');
    }
  });
});

describe('sanitize: strip', () => {
  it('removes active content before the input is judged, and says so', async () => {
    const judged: unknown[] = [];
    const rule = { name: 'look', check: (input: unknown) => void judged.push(input) };
    const tool = aTool({ sanitize: 'strip', validators: [rule] });
    const crib = await testCrib([tool]);
    const sent = { html: '<p>hi</p><script>steal()</script>' };
    const result = await crib.execute('echo', sent);
    expect(result.data).toEqual({ html: '<p>hi</p>' });
    expect(judged).toEqual([{ html: '<p>hi</p>' }]);
    expect(result.warnings).toEqual([
      'Taken out of /html: an element that runs or loads something.',
    ]);
    expect(sent.html).toContain('steal');
    const clean = await crib.execute('echo', { html: '<p>hi</p>' });
    expect(clean.warnings ?? []).toEqual([]);
  });

  it('holds the schema against what is left', async () => {
    const input = { type: 'object', properties: { html: { type: 'string', minLength: 5 } } };
    const crib = await testCrib([aTool({ sanitize: 'strip', input })]);
    const result = await crib.execute('echo', { html: '<script>long enough</script>' });
    expect(result.error?.code).toBe('VALIDATION_ERROR');
  });

  it('refuses what is too much to be cleaned', async () => {
    const crib = await testCrib([aTool({ sanitize: 'strip' })]);
    const { error } = await crib.execute('echo', { html: `<b>${'x'.repeat(400_000)}` });
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(error?.message).toContain('too much markup');
  });

  it('alters nothing for any other tool', async () => {
    const crib = await testCrib([aTool()]);
    const html = '<script>1</script>';
    expect((await crib.execute('echo', { html })).data).toEqual({ html });
  });
});
