/** The examples in the comments of the public interface compile as programs that use the package. */
import { describe, expect, it } from 'vitest';
import { compilePrograms } from './compile-programs.ts';
import { isTest, readSources } from './source-text.ts';

/** What an example may take for granted. */
const PRELUDE = `import { type Crib, createComposition, createCrib, createRuntime, conditional,
  defineFlow, defineFlowData, defineTool, type FlowContext, isErrorCode, loadConfig, openProject,
  parallel, sequence, type ToolContext, ToolFailure, type ToolMapOf } from 'toolcrib';
import type { McpSurface } from 'toolcrib/surfaces/mcp';
import { z } from 'zod';
declare const crib: Crib;
declare const context: ToolContext;
declare const flow: FlowContext;
declare const surface: McpSurface;
declare const transport: Parameters<McpSurface['connect']>[0];
declare const approvalId: string, executionId: string, handle: string;
declare const work: () => Promise<void>;
const greet = defineTool({ name: 'greet', description: '', tier: 'read_only',
  input: z.strictObject({ name: z.string() }), run: ({ name }) => name });
const shout = defineTool({ name: 'shout', description: '', tier: 'read_only',
  input: z.strictObject({ text: z.string() }), run: ({ text }) => text.toUpperCase() });
const welcome = defineFlow({ name: 'welcome', version: '1.0.0',
  run: async (_, { name }: { name: string }) => name });
export type Used = ToolMapOf<readonly [typeof greet]>;
`;

/** The lines after each @example, up to the end of its comment. */
const examplesIn = (text: string): readonly string[] =>
  [...text.matchAll(/^ *\* @example\n([\s\S]*?)\n\s*\*\//gm)].map((match) =>
    (match[1] ?? '').replaceAll(/^\s*\* ?/gm, ''),
  );

/** Imports come first; the rest may wait for promises. */
const asProgram = (example: string): string => {
  const lines = example.split('\n');
  const imports = lines.filter((line) => line.startsWith('import '));
  const rest = lines.filter((line) => !imports.includes(line));
  return [PRELUDE, ...imports, 'export const example = async () => {', ...rest, '};\n'].join('\n');
};

/** Unused names: an example may show what a call returns without doing anything with it. */
const UNUSED = /^TS(6133|6198|6192|6196)/;

describe('the examples in comments', () => {
  it('compile, and one that does not would be found', () => {
    const programs = readSources('src')
      .filter(({ path }) => !isTest(path))
      .flatMap(({ path, text }) =>
        examplesIn(text).map(
          (example, at) =>
            [`${path.replaceAll(/[/.]/g, '-')}-${at}.ts`, asProgram(example)] as const,
        ),
      );
    expect(programs.length).toBeGreaterThan(200);
    const wrong = asProgram('await crib.executions.undoAll();');
    const errors = compilePrograms({ ...Object.fromEntries(programs), 'wrong.ts': wrong });
    const real = errors.filter(({ message }) => !UNUSED.test(message));
    expect(real.map(({ file, message }) => [file, message])).toEqual([
      ['wrong.ts', expect.stringContaining('undoAll')],
    ]);
  }, 300_000);
});
