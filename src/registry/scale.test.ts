import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { Tool } from '../contract/tool.ts';
import { createRegistry } from './registry.ts';

const VERBS = [
  'read',
  'write',
  'send',
  'list',
  'create',
  'delete',
  'update',
  'fetch',
  'parse',
  'sync',
];
const NOUNS = [
  'file',
  'email',
  'invoice',
  'customer',
  'order',
  'image',
  'table',
  'branch',
  'issue',
  'job',
];

const catalog: readonly Tool[] = Array.from({ length: 10_000 }, (_, at) => {
  const [verb, noun] = [VERBS[at % 10], NOUNS[Math.floor(at / 10) % 10]];
  return defineTool({
    name: `service${Math.floor(at / 100)}.${verb}.${noun}`,
    description: `${verb} a ${noun} with the given options and return its identifier`,
    tier: 'read_only',
    input: at % 2 ? z.object({ id: z.string() }) : { type: 'object', pattern: '(?=unusable)' },
    run: () => at,
  });
});

/** The best of a few: a busy machine slows some of them down, a slow algorithm all of them. */
const fastest = (work: () => void): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const start = performance.now();
      work();
      return performance.now() - start;
    }),
  );

describe('ten thousand tools', () => {
  const registry = createRegistry({ runtime: fakeRuntime() });
  registry.registerAll(catalog);

  it('register in seconds, and compile nothing', () => {
    const fresh = () => createRegistry({ runtime: fakeRuntime() });
    expect(fastest(() => fresh().registerAll(catalog))).toBeLessThan(10_000);
    expect(registry.list()).toHaveLength(10_000);
  });

  it.each([
    'send email',
    'service42',
    'return',
    'delte custmer',
    'read a file and return its identifier',
  ])('are searched for "%s"', (query) => {
    expect(registry.search(query).length).toBeGreaterThan(0);
  });

  it('find the very one', () => {
    expect(registry.search('service42 delete invoice')[0]?.entry.tool.name).toBe(
      'service42.delete.invoice',
    );
    expect(registry.suggest('service42.delete.invoce')[0]).toBe('service42.delete.invoice');
  });
});
