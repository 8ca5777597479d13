import { afterEach, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../test/fixtures/test-crib.ts';
import { openToolSet } from './tool-set.ts';

let crib: TestCrib;
afterEach(() => crib.close());

const call = (name: string, input: unknown, names: readonly string[]) =>
  openToolSet(crib, 'anthropic', { surface: 'search', names }).call({
    name,
    input,
    callId: undefined,
    signal: undefined,
  });

it('search_tools of a small set finds its tools among many others that fit better', async () => {
  const others = Array.from({ length: 60 }, (_, n) => aTool({ name: `weather_${n}` }));
  const wanted = aTool({ name: 'sky', description: 'Looks out of the window for the weather.' });
  crib = await testCrib([...others, wanted]);
  expect(await call('search_tools', { query: 'weather' }, ['sky'])).toMatchObject({
    data: { tools: [{ name: 'sky', tier: 'read_only' }] },
  });
  const two = await call('search_tools', { query: 'weather', limit: 2 }, [
    ...others.map(({ name }) => name),
    'sky',
  ]);
  expect((two.data as { tools: unknown[] }).tools).toHaveLength(2);
});

it('a tool set suggests near names for an unknown tool, and none outside the set', async () => {
  crib = await testCrib([aTool({ name: 'append' }), aTool({ name: 'append_2' })]);
  const { error } = await call('describe_tool', { name: 'apend' }, ['append']);
  expect(error).toMatchObject({ code: 'TOOL_NOT_FOUND', suggestions: ['Close to it: append'] });
  const outside = await call('describe_tool', { name: 'append_2' }, ['append']);
  expect(JSON.stringify(outside)).not.toContain('append_2');
  expect(outside.error?.code).toBe('TOOL_NOT_FOUND');
});

it('call_tool without an input calls with an empty input', async () => {
  crib = await testCrib([aTool({ name: 'now', run: (() => 'noon') as never })]);
  for (const input of [{ name: 'now' }, { name: 'now', input: null }]) {
    expect(await call('call_tool', input, ['now'])).toMatchObject({ data: 'noon' });
  }
});
