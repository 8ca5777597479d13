import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool, ToolDefinition } from '../../contract/tool.ts';
import { createInspectors } from './create-inspectors.ts';
import { isSerious, type Violation } from './violation.ts';

/** Hostile, odd and harmless inputs; both numbers are told together at the end. */
interface Case {
  readonly tool: keyof typeof TOOLS;
  readonly input: unknown;
}
interface Cases {
  readonly hostile: readonly (Case & { readonly type: Violation['type'] })[];
  readonly noted: readonly (Case & { readonly severity: Violation['severity'] })[];
  readonly benign: readonly Case[];
}

const tool = (extra: Partial<ToolDefinition<unknown, unknown>>): Tool =>
  defineTool({ name: 't', description: '', tier: 'read_only', input: {}, run: () => 1, ...extra });

const TOOLS = {
  files: tool({ tier: 'write', needs: { paths: [{ path: '.', access: 'write' }] } }),
  search: tool({ category: 'search' }),
  shell: tool({ tier: 'execute' }),
  web: tool({ tier: 'external_api' }),
  plain: tool({}),
};

const CASES = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/threats/inspection.json', import.meta.url), 'utf8'),
) as Cases;

const inspectorOf = createInspectors({
  isInside: (path) => /^\/ws(?:\/(?!\.\.)|$)/.test(path) && !path.includes('/../etc'),
  looksSecret: (text) => text.includes('KNOWN-SECRET-VALUE'),
});
const inspect = async (name: keyof typeof TOOLS, input: unknown) => inspectorOf(TOOLS[name])(input);

describe('threat: injection, traversal, escalation and exfiltration in inputs', () => {
  it.each(CASES.hostile)('refuses $type in $tool $input', async ({ tool: name, input, type }) => {
    const serious = (await inspect(name, input)).filter(isSerious);
    expect(serious.map((violation) => violation.type)).toContain(type);
    for (const { at, remedy, description } of serious) {
      expect(at.startsWith('/')).toBe(true);
      expect(remedy.length * description.length).toBeGreaterThan(0);
    }
  });

  it.each(CASES.noted)('notes and allows $tool $input', async (odd) => {
    const violations = await inspect(odd.tool, odd.input);
    expect(violations.map(({ severity }) => severity)).toEqual([odd.severity]);
  });

  it.each(CASES.benign)('has no finding for $tool $input', async ({ tool: name, input }) => {
    expect(await inspect(name, input)).toEqual([]);
  });

  it('refuses all hostile cases and no benign one', async () => {
    let stopped = 0;
    let disturbed = 0;
    for (const { tool: name, input } of CASES.hostile) {
      if ((await inspect(name, input)).some(isSerious)) stopped++;
    }
    for (const { tool: name, input } of CASES.benign) {
      if ((await inspect(name, input)).some(isSerious)) disturbed++;
    }
    console.info(
      `inspection: ${stopped} of ${CASES.hostile.length} hostile inputs stopped, ${disturbed} of ${CASES.benign.length} benign ones`,
    );
    expect({ stopped, disturbed }).toEqual({ stopped: CASES.hostile.length, disturbed: 0 });
  });
});
