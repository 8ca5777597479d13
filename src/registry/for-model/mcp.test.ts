import { describe, expect, it } from 'vitest';
import type { Tool } from '../../contract/tool.ts';
import { createCrib } from '../../crib/create-crib.ts';
import { mcpTool } from './mcp.ts';

interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const hintsOf = (tool: Tool): Hints => {
  const input = { type: 'object' };
  const shown = { tool, wireName: tool.name, input, output: undefined };
  const { definition } = mcpTool(shown as unknown as Parameters<typeof mcpTool>[0]);
  return (definition as { annotations: Hints }).annotations;
};

describe('threat: annotations of a listed tool say less than it can do', () => {
  it('built-in tools that change something are annotated neither read-only nor harmless', async () => {
    const crib = await createCrib({ store: 'memory' });
    const tools = new Map(crib.tools.list().map(({ tool }) => [tool.name, tool as Tool]));
    await crib.close();
    for (const name of ['run_code', 'write_file', 'bash_execution', 'docker']) {
      const tool = tools.get(name) as Tool;
      expect({ name, ...hintsOf(tool) }).toMatchObject({
        name,
        readOnlyHint: false,
        destructiveHint: true,
      });
    }
    expect(hintsOf(tools.get('read_file') as Tool).readOnlyHint).toBe(true);
  });

  const aTool = (tool: Partial<Tool>): Tool =>
    ({ name: 'a', source: 'builtin', tier: 'read_only', capabilities: [], ...tool }) as Tool;

  it.each<[string, Partial<Tool>]>([
    ['runs programs', { tier: 'execute' }],
    ['names programs', { needs: { commands: ['git'] } }],
    ['calls other tools', { callsTools: true }],
    ['writes files', { tier: 'write', needs: { paths: [{ path: '.', access: 'write' }] } }],
    [
      'can destroy by one action',
      { capabilities: [{ action: 'drop', description: 'd', destructive: true, tier: 'write' }] },
    ],
    ['comes from outside and is no reader', { source: 'mcp', tier: 'external_api' }],
  ])('one that %s is destructive and not read-only', (_what, tool) => {
    expect(hintsOf(aTool(tool))).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });

  it('one that runs anything reaches the world and is not idempotent', () => {
    expect(hintsOf(aTool({ callsTools: true, idempotent: true }))).toMatchObject({
      openWorldHint: true,
      idempotentHint: false,
    });
  });

  it('benign: a reader is read-only, and a search on the web destroys nothing', () => {
    expect(hintsOf(aTool({ needs: { paths: [{ path: '.', access: 'read' }] } }))).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    const search = aTool({ tier: 'external_api', needs: { hosts: ['example.com'] } });
    expect(hintsOf(search)).toMatchObject({ destructiveHint: false, openWorldHint: true });
  });

  it('a composed tool is as harmless as the tools that it is made of', () => {
    const composition = { kind: 'sequence', parts: ['a'], maxCalls: 1 } as const;
    const composed = { callsTools: true, source: 'composed', composition } as const;
    expect(hintsOf(aTool(composed)).readOnlyHint).toBe(true);
    expect(hintsOf(aTool({ ...composed, tier: 'write' }))).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
  });
});
