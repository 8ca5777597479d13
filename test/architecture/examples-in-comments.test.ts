/** The examples in the comments of the public interface compile as a program that uses the package. */
import { describe, expect, it } from 'vitest';
import { compilePrograms } from './compile-programs.ts';
import { readText } from './source-text.ts';

const FILES = [
  'src/contract/crib.ts',
  'src/contract/crib-members.ts',
  'src/contract/flow.ts',
  'src/contract/tool-types.ts',
  'src/crib/create-crib.ts',
  'src/crib/open-project.ts',
];

const PRELUDE = `import { type Crib, createCrib, defineFlow, defineTool, openProject, type ToolMapOf } from 'toolcrib';
import { z } from 'zod';
declare const crib: Crib;
declare const approvalId: string, executionId: string, handle: string;
const greet = defineTool({ name: 'greet', description: '', tier: 'read_only',
  input: z.strictObject({ name: z.string() }), run: ({ name }) => name });
export const used = [crib, approvalId, executionId, handle, greet, createCrib, defineFlow, openProject];
export type Used = ToolMapOf<readonly [typeof greet]>;
`;

/** The lines after each @example, up to the end of its comment. */
const examplesIn = (text: string): readonly string[] =>
  [...text.matchAll(/@example\n([\s\S]*?)\n\s*\*\//g)].map((match) =>
    (match[1] ?? '').replaceAll(/^\s*\* ?/gm, ''),
  );

const asProgram = (example: string): string =>
  `${PRELUDE}export const example = async () => {\n${example}\n};\n`;

describe('the examples in comments', () => {
  it('compile, and one that does not would be found', () => {
    const programs = FILES.flatMap((path) =>
      examplesIn(readText(path)).map(
        (example, at) => [`${path.replaceAll(/[/.]/g, '-')}-${at}.ts`, asProgram(example)] as const,
      ),
    );
    expect(programs.length).toBeGreaterThan(35);
    const wrong = asProgram('await crib.executions.undoAll();');
    const errors = compilePrograms({ ...Object.fromEntries(programs), 'wrong.ts': wrong });
    const real = errors.filter(({ message }) => !/^TS(6133|6198|6192)/.test(message));
    expect(real.map(({ file, message }) => [file, message])).toEqual([
      ['wrong.ts', expect.stringContaining('undoAll')],
    ]);
  }, 300_000);
});
