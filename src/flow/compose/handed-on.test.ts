import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { conditional } from './conditional.ts';
import { sequence } from './sequence.ts';

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
describe('what a composed part hands on', () => {
  it('is compared with what the next part takes', () => {
    const inner = sequence([search, scrape]);
    expect(() => sequence([inner, search])).toThrow(
      `the output of ${inner.name} cannot be the input of search: query is missing`,
    );
    expect(sequence([sequence([inner]), aTool({ name: 'any' })]).name).toContain('sequence');
  });

  it('is compared in a fallback, too', () => {
    const branch = { condition: () => true, tools: [search] };
    expect(() => conditional([branch], { fallback: [scrape, search] })).toThrow('query is missing');
  });

  it('has the labels that follow from its parts', () => {
    const labelled = (more: object) => sequence([aTool({ name: 'part', ...more })]).labels;
    expect(labelled({ source: 'package' })).toEqual({ trust: 'untrusted' });
    expect(labelled({ category: 'filesystem' })).toEqual({ sensitivity: 'private' });
    expect(labelled({ labels: { sensitivity: 'secret' } })).toEqual({ sensitivity: 'secret' });
    expect(labelled({})).toEqual({});
  });

  it('reaches the condition of the next part with the fields that its input names', async () => {
    const seen: unknown[] = [];
    const isTop = (input: unknown): boolean => {
      seen.push(input);
      return true;
    };
    const choice = conditional([{ condition: isTop, tools: [scrape] }], {
      input: z.object({ url: z.string(), rank: z.number() }),
    });
    const whole = sequence([search, choice]);
    const rules = [{ name: 'all', effect: 'allow' as const }];
    const crib = await testCrib([search, scrape, choice, whole], { policy: { version: 1, rules } });
    expect((await crib.execute(whole, { query: 'a' })).success).toBe(true);
    await crib.close();
    expect(seen).toEqual([{ url: 'https://a.test', rank: 1 }]);
  });
});
