/** docs/tools says what the definitions of the shipped tools say. */
import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type Parameter, parametersOf } from '../../src/cli/commands/tools/parameter-table.ts';
import type { JsonSchema } from '../../src/contract/schema.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { createCrib } from '../../src/crib/create-crib.ts';
import { readText } from './source-text.ts';

interface Described {
  readonly tool: Tool;
  readonly input: readonly Parameter[];
  readonly output: readonly Parameter[];
}

interface Renderer {
  renderToolDocs(all: readonly Described[]): ReadonlyMap<string, string>;
  renderToolPage(described: Described): string;
}

const script = new URL('../../scripts/render-tool-docs.mjs', import.meta.url).href;
const { renderToolDocs, renderToolPage }: Renderer = await import(script);

const crib = await createCrib({ store: 'memory', watch: false });
afterAll(() => crib.close());

const fieldsOf = (schema: JsonSchema | undefined) => (schema ? parametersOf(schema) : []);
const described = crib.tools.list({ source: ['builtin'] }).map(({ tool }) => ({
  tool,
  input: fieldsOf(crib.tools.inputSchema(tool.name)),
  output: fieldsOf(crib.tools.outputSchema(tool.name)),
}));
const pages = renderToolDocs(described);

describe('docs/tools', () => {
  it('has a page for every tool that ships, and no other', () => {
    const folder = new URL('../../docs/tools/', import.meta.url);
    expect(readdirSync(folder).toSorted()).toEqual([...pages.keys()].toSorted());
  });

  it.each([...pages.keys()])('%s is what the definitions render to; else npm run docs', (name) => {
    expect(readText(`docs/tools/${name}`)).toBe(pages.get(name));
  });

  it.each(described.map((each) => [each.tool.name, each] as const))(
    '%s has what a page needs',
    (_name, { tool, input, output }) => {
      // A handle is made by an earlier call: no example of it could be run.
      if (tool.name !== 'read_result') expect(tool.examples?.length ?? 0).toBeGreaterThan(0);
      expect(tool.capabilities.length).toBeGreaterThan(0);
      expect(input.length).toBeGreaterThan(0);
      expect(output.length).toBeGreaterThan(0);
      if (tool.auth) expect(tool.auth.setupUrl).toMatch(/^https:\/\//);
    },
  );

  it('changes with every part of a definition', () => {
    const [first] = described;
    if (!first) throw new Error('no tools');
    const page = renderToolPage(first);
    const auth = {
      type: 'api_key',
      required: true,
      configKey: 'X',
      setupUrl: 'https://x',
    } as const;
    const changes: Partial<Tool>[] = [
      { description: 'Other.' },
      { documentation: 'Other.' },
      { tier: 'execute' },
      { category: 'custom' },
      { version: '9.9.9' },
      { capabilities: [{ action: 'x', description: 'y', destructive: true }] },
      { cost: { model: 'usage_based', fixed: 1 } },
      { needs: { hosts: ['x.example'] } },
      { rateLimit: { maxPerDay: 77 } },
      { timeoutMs: 77 },
      { examples: [{ title: 'z', input: { a: "it's" } }] },
      { aliases: ['zz'] },
      { auth },
    ];
    for (const change of changes) {
      expect(renderToolPage({ ...first, tool: { ...first.tool, ...change } })).not.toBe(page);
    }
    const field = { name: 'z', type: 'string', required: true, description: '' };
    expect(renderToolPage({ ...first, input: [field] })).not.toBe(page);
    expect(renderToolPage({ ...first, output: [field] })).not.toBe(page);
  });
});
