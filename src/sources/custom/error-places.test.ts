/** What the code of a custom tool breaks with is told at the line of its file, in the real sandbox. */
import { describe, expect, it } from 'vitest';
import { openTestSource } from '../../../test/fixtures/custom-source.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import { columnWithoutMarkers, markStatements } from './mark-statements.ts';

/** The line with `HERE` in a comment is the one that fails. */
const CASES: Readonly<Record<string, string>> = {
  'a property of null in a return': 'const n: any = null;\n\n  return n.x; // HERE',
  'a property of null in a declaration':
    'const n: any = null;\n\n  const v = n.x; // HERE\n  return v;',
  'a name that is not there': 'const a = 1;\n\n  return nope(a); // HERE',
  'after a call':
    "await context.logger.info('x');\n  const n: any = {};\n\n  return n.a.b; // HERE",
  'after an await': 'const t: any = await Promise.resolve(null);\n\n  return t.q; // HERE',
  'a condition': 'const n: any = null;\n\n  if (n.x) return 1; // HERE\n  return 2;',
  'a body without braces':
    'const n: any = null;\n  if (n === null)\n    return n.x; // HERE\n  return 2;',
  'an else without braces': 'const n: any = null;\n  if (n) return 1;\n  else return n.x; // HERE',
  'a loop':
    'const list: any[] = [{ a: 1 }, null];\n  for (const each of list) {\n    const v = each.a; // HERE\n    context.warn(String(v));\n  }',
  'a loop without braces':
    'const list: any[] = [null];\n  for (const each of list)\n    if (each.a) return 1; // HERE',
  'a switch':
    'const n: any = null;\n  switch (args.kind) {\n    default:\n      return n.x; // HERE\n  }',
  'an error of its own': "const a = 1;\n\n  throw new Error('own'); // HERE",
  'an inner function':
    'const inner = (v: any) => {\n    const w = v;\n    return w.y.z; // HERE\n  };\n\n  return inner({});',
  'a callback': 'return [null].map((v: any) => {\n    const w = v;\n    return w.y; // HERE\n  });',
  'after a template of several lines':
    'const s = `a\n  return $1\n  const b`;\n  const n: any = null;\n  return n.x + s; // HERE',
};

const lineOf = (text: string): number =>
  text.split('\n').findIndex((line) => line.includes('// HERE')) + 1;

const breakOf = async (file: string, text: string): Promise<string> => {
  const source = openTestSource({ [file]: text });
  try {
    const tool = await source.tool('x');
    await tool.run({}, fakeContext());
    return 'nothing was thrown';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await source.close();
  }
};

const code = (body: string): string =>
  `export async function execute(args: any, context: any) {\n  ${body}\n}`;

describe('the position of an error', () => {
  it.each(Object.keys(CASES))('%s: in a YAML file', async (name) => {
    const body = code(CASES[name] ?? '').replaceAll(/^/gm, '  ');
    const text = `name: x\ndescription: does x\nschema:\n  type: object\ncode: |\n  // first\n\n${body}\n`;
    expect(await breakOf('x.yml', text)).toMatch(new RegExp(`\\(x\\.yml:${lineOf(text)}:\\d+\\)$`));
  });

  it.each(Object.keys(CASES))('%s: in a TypeScript module', async (name) => {
    const text = `import { defineTool } from 'toolcrib';\n\n${code(CASES[name] ?? '').replace('export ', '')}\n\nexport default defineTool({\n  name: 'x', description: 'does x', tier: 'read_only', input: { type: 'object' }, run: execute,\n});\n`;
    expect(await breakOf('x.ts', text)).toMatch(new RegExp(`\\(x\\.ts:${lineOf(text)}:\\d+\\)$`));
  });
});

describe('markers', () => {
  it('leave lines where they are, and the result of the code as it is', async () => {
    const text =
      'const f = (a) => {\n  if (a) return 1;\n  else if (a === 0) return 2;\n  outer: for (const x of [1, 2]) for (const y of [1]) { if (x) continue outer; }\n  do return 3; while (a);\n};\nglobalThis.result = [f(1), f(0), f()];';
    const marked = await markStatements(text);
    expect(marked.split('\n')).toHaveLength(text.split('\n').length);
    const scope: { result?: unknown } = {};
    new Function('globalThis', marked)(scope);
    expect(scope.result).toEqual([1, 2, 3]);
  });

  it('give back the column that the code had without them', async () => {
    const text = 'function f(a) {\n  if (a) return g(a);\n  return h(a);\n}';
    const marked = await markStatements(text);
    const columnIn = (source: string, part: string) => {
      const line = source.split('\n').findIndex((each) => each.includes(part));
      return [line + 1, (source.split('\n')[line] ?? '').indexOf(part) + 1] as const;
    };
    for (const part of ['g(a)', 'h(a)', 'if (a)']) {
      const [line, column] = columnIn(marked, part);
      expect(columnWithoutMarkers(marked, line, column)).toBe(columnIn(text, part)[1]);
    }
  });

  it('are left out where the code cannot be parsed', async () => {
    expect(await markStatements('return {{')).toBe('return {{');
  });
});
