/** `parse_typescript`: the outline, imports, exports and syntax errors of one source file. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool } from '../../contract/tool.ts';
import { lazy } from '../../kit/data/lazy.ts';
import type { CompilerOptions } from '../compiler-files.ts';
import { oneLine } from '../one-line.ts';
import { MAX_SOURCE, SOURCE_NAME } from './parse-source.ts';
import { workOnSources } from './work-on-sources.ts';

const input = () =>
  z
    .strictObject({
      code: z.string().max(MAX_SOURCE).optional().describe('The source text.'),
      filePath: oneLine(1_000)
        .optional()
        .describe('The file to read when there is no code; its ending says which language it is.'),
    })
    .superRefine(({ code, filePath }, context) => {
      const report = (path: string, message: string) =>
        context.addIssue({ code: 'custom', path: [path], message });
      if (code === undefined && filePath === undefined) report('code', 'Give code or filePath.');
      if (filePath !== undefined && !SOURCE_NAME.test(filePath)) {
        report('filePath', 'A file such as x.ts, x.tsx, x.js, x.jsx, x.mts or x.cjs.');
      }
    });

const line = () => z.int().describe('Counted from 1.');

const node = lazy(() =>
  z.strictObject({
    kind: z.string().describe('The kind of declaration, e.g. FunctionDeclaration.'),
    name: z.string().optional().describe('Its name.'),
    line: line(),
    endLine: line(),
    exported: z.boolean().optional().describe('True when it is exported where it stands.'),
    get children() {
      return z.array(node()).optional().describe('What is declared inside.');
    },
  }),
);

const output = () =>
  z.strictObject({
    ast: z.array(node()).describe('The outline: every declaration with its place.'),
    errors: z
      .array(
        z.strictObject({
          line: line(),
          column: z.int().describe('Counted from 1.'),
          code: z.int().describe('The number of the TypeScript message.'),
          message: z.string().describe('What is wrong.'),
        }),
      )
      .describe('Syntax errors; types are not checked.'),
    imports: z.array(z.string()).describe('The modules it imports, each once.'),
    exports: z.array(z.string()).describe('The names it exports; * for all of another module.'),
    importDetails: z
      .array(
        z.strictObject({
          module: z.string().describe('The module.'),
          names: z.array(z.string()).describe('What is taken from it.'),
          line: line(),
          typeOnly: z.boolean().describe('True for import type.'),
        }),
      )
      .describe('Every import, require and re-export with its place.'),
    truncated: z.boolean().describe('True when the outline was too long and is cut.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const readText = async ({ filePath = '' }: Input, { fs }: ToolContext): Promise<string> => {
  const bytes = await fs.read(filePath, { maxBytes: MAX_SOURCE });
  return new TextDecoder().decode(bytes);
};

const parse = async (
  request: Input,
  context: ToolContext,
  options: CompilerOptions,
): Promise<Output> => {
  const text = request.code ?? (await readText(request, context));
  const sources = [{ path: request.filePath ?? 'code.ts', text }];
  const job = { task: 'outline' as const, sources, compiler: options };
  const [outline] = await workOnSources(job, context.signal);
  if (!outline) throw new Error('The work on one source gave no answer.');
  const { ast, imports, exports, errors, truncated } = outline;
  return {
    ast,
    errors: [...errors],
    imports: [...new Set(imports.map(({ module }) => module))],
    exports,
    importDetails: imports,
    truncated,
  };
};

const defineParseTypescript = (options: CompilerOptions = {}): Tool<Input, Output> =>
  defineTool({
    name: 'parse_typescript',
    description:
      'Parses TypeScript or JavaScript with the TypeScript compiler: an outline of its declarations, its imports and exports, and syntax errors with line and column. Nothing is run and no types are checked.',
    source: 'builtin',
    category: 'code_analysis',
    tier: 'read_only',
    idempotent: true,
    capabilities: [{ action: 'parse', description: 'Parse source text.', tier: 'read_only' }],
    permissions: ['tool:parse_typescript'],
    cost: { model: 'free' },
    timeoutMs: 60_000,
    needs: { paths: [{ path: '.', access: 'read' }] },
    aliases: ['code:parse', 'typescript:parse'],
    tags: ['typescript', 'javascript', 'parse', 'ast', 'imports', 'exports', 'syntax'],
    examples: [
      {
        title: 'Outline a piece of code',
        input: {
          code: "import { join } from 'node:path';\nexport const up = (path: string) => join(path, '..');\n",
        },
        output: {
          ast: [{ kind: 'VariableDeclaration', name: 'up', line: 2, exported: true }],
          errors: [],
          imports: ['node:path'],
          exports: ['up'],
        },
      },
      {
        title: 'Find a syntax error',
        input: { code: 'const x = ;\n' },
        output: { errors: [{ line: 1, column: 11, code: 1109 }] },
      },
    ],
    input,
    output,
    run: (request, context) => parse(request, context, options),
  });

export const parseTypescript = defineParseTypescript();
