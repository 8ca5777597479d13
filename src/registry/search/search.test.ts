import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool, ToolDefinition } from '../../contract/tool.ts';
import { createRegistry, type Registry } from '../registry.ts';

const tool = (name: string, more: Partial<ToolDefinition<never, unknown>> = {}): Tool =>
  defineTool({
    name,
    description: '',
    tier: 'read_only',
    input: z.object({}),
    run: () => 1,
    ...more,
  } as ToolDefinition<unknown, unknown>);

const CATALOG: readonly Tool[] = [
  tool('read_file', { description: 'Reads a text file from the workspace.', tags: ['files'] }),
  tool('write_file', { description: 'Writes a text file; asks before it overwrites.' }),
  tool('sendgridSendEmail', {
    description: 'Sends a message.',
    input: z.object({ recipient: z.string() }) as never,
  }),
  tool('gmail.send', { description: 'Sends an email with Gmail.', tags: ['mail'] }),
  tool('calculator', {
    description: 'Works out arithmetic.',
    input: { properties: { expression: {} } } as never,
  }),
  tool('stripe:invoice', { description: 'Creates an invoice for a customer.' }),
];

const usage: Record<string, { calls: number; lastUsedAt: number; averageMs: number }> = {
  read_file: { calls: 3, lastUsedAt: 900, averageMs: 20 },
  write_file: { calls: 90, lastUsedAt: 100, averageMs: 5 },
};

let registry: Registry;
beforeEach(() => {
  registry = createRegistry({ runtime: fakeRuntime(), usage: (name) => usage[name] });
  registry.registerAll(CATALOG);
});
const found = (query: Parameters<Registry['search']>[0]): readonly string[] =>
  registry.search(query).map((hit) => hit.entry.tool.name);

describe('search', () => {
  it.each([
    ['read_file', 'read_file'],
    ['readFile', 'read_file'],
    ['readfile', 'read_file'],
    ['file read', 'read_file'],
    ['sendgrid', 'sendgridSendEmail'],
    ['send email', 'sendgridSendEmail'],
    ['recipient', 'sendgridSendEmail'],
    ['expression', 'calculator'],
    ['mail', 'gmail.send'],
    ['arithm', 'calculator'],
    ['invoce', 'stripe:invoice'],
    ['custmer', 'stripe:invoice'],
    ['emial', 'sendgridSendEmail'],
    ['calcluator', 'calculator'],
    ['OVERWRITES', 'write_file'],
  ])('%s finds %s first', (query, name) => {
    expect(found(query)[0]).toBe(name);
  });

  it('puts what matches every word before what matches one', () => {
    expect(found('text file overwrites')[0]).toBe('write_file');
    expect(found('write a text file').slice(0, 2)).toEqual(['write_file', 'read_file']);
    registry.register(tool('customer', { description: 'Looks somebody up.' }));
    expect(found('creates customer')[0]).toBe('stripe:invoice');
  });

  it('finds nothing for what is not there, and nothing mistyped unless asked to', () => {
    expect(found('zzzzzz')).toEqual([]);
    expect(found({ text: 'invoce', fuzzy: false })).toEqual([]);
    expect(found({ text: 'invoice', fuzzy: false })).toEqual(['stripe:invoice']);
  });

  it('ranks by use on request, tools that were never used last', () => {
    expect(found({ text: 'file' })[0]).toBe('read_file');
    expect(found({ text: 'file', rankBy: 'popularity' })[0]).toBe('write_file');
    expect(found({ text: 'file', rankBy: 'recent' })[0]).toBe('read_file');
    expect(found({ text: 'file', rankBy: 'performance' })[0]).toBe('write_file');
    expect(found({ text: '', rankBy: 'performance' }).slice(0, 2)).toEqual([
      'write_file',
      'read_file',
    ]);
  });

  it('filters and limits', () => {
    registry.setEnabled('read_file', false);
    expect(found({ text: 'file', filter: { enabled: true } })).toEqual(['write_file']);
    expect(found({ text: 'file', limit: 1 })).toHaveLength(1);
    expect(found({ text: 'file', limit: 0 })).toEqual([]);
    expect(found('')).toHaveLength(CATALOG.length);
  });

  it('follows registering, replacing, switching versions and removing', async () => {
    expect(found('zebra')).toEqual([]);
    registry.register(tool('late', { description: 'Zebra.' }));
    expect(found('zebra')).toEqual(['late']);
    await registry.update(tool('late', { description: 'Giraffe.' }));
    expect([found('zebra'), found('giraffe')]).toEqual([[], ['late']]);
    registry.register(tool('late', { version: '2.0.0', description: 'Okapi.' }));
    expect(found('okapi')).toEqual(['late']);
    registry.setActive('late', '1.0.0');
    expect([found('okapi'), found('giraffe')]).toEqual([[], ['late']]);
    await registry.unregister('late');
    expect(found('giraffe')).toEqual([]);
  });

  it('does not let a tool push itself up by repeating a word', () => {
    registry.register(tool('spam', { description: 'invoice '.repeat(200) }));
    expect(found('invoice')[0]).toBe('stripe:invoice');
  });

  it.each(['', ' ', '***', '__proto__', 'x'.repeat(1_000_000), 'a '.repeat(100_000)])(
    'bears odd queries',
    (query) => {
      expect(() => registry.search(query)).not.toThrow();
    },
  );

  it('survives many removals', async () => {
    const many = Array.from({ length: 2_500 }, (_, at) =>
      tool(`bulk_${at}`, { description: 'Bulk.' }),
    );
    registry.registerAll(many);
    expect(found({ text: 'bulk', limit: 5_000 })).toHaveLength(2_500);
    for (const { name } of many.slice(10)) await registry.unregister(name);
    expect(found({ text: 'bulk', limit: 5_000 })).toHaveLength(10);
    expect(found('read_file')[0]).toBe('read_file');
    registry.register(tool('bulk_new'));
    expect(found({ text: 'bulk', limit: 5_000 })).toHaveLength(11);
  });
});
