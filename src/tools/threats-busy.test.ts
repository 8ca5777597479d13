/** Threat: a caller's data keeps the one main thread busy, and every other caller waits. */
import { beforeAll, describe, expect, it } from 'vitest';
import { longestHold, MAX_HOLD_MS } from '../../test/fixtures/longest-hold.ts';
import { runTool } from '../../test/fixtures/run-tool.ts';
import { fakeContext } from '../../test/fixtures/tool-context.ts';
import type { FileAccess, ToolContext } from '../contract/context.ts';
import type { Tool } from '../contract/tool.ts';
import type { WorkModule } from '../kit/work/data-work.ts';
import { analyzeCode } from './code/analyze-code.ts';
import { parseTypescript } from './code/parse-typescript.ts';
import { editFiles } from './filesystem/edit-files.ts';
import { textTransform } from './local/text-transform.ts';
import { defineReadResult } from './results/read-result.ts';
import { jsonParser } from './validation/json-parser.ts';
import { validateJson } from './validation/validate-json.ts';
import { validateYaml } from './validation/validate-yaml.ts';
import { defineWebScrape } from './web/web-scrape.ts';

const webScrape = defineWebScrape();

const LONG = { timeout: 120_000 };

const prose = (length: number): string =>
  'The quick brown fox of Berlin jumped over 12 lazy dogs, and Mr. Smith paid $30 on Monday. '
    .repeat(length / 80)
    .slice(0, length);

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

const statements = (length: number): string =>
  'void ((a: number) => (a > 1 && a < 5 ? [a, { b: a }] : undefined));\n'
    .repeat(length / 68)
    .slice(0, length);

const page = (count: number): string =>
  `<title>T</title>${'<div><p>hello <b>x</b> <a href="/a">link</a></p></div>'.repeat(count)}`;

const serving = (html: string): Partial<ToolContext> => ({
  fetch: async (url) => {
    const isPage = !String(url).endsWith('/robots.txt');
    const response = new Response(isPage ? html : '', { headers: { 'content-type': 'text/html' } });
    Object.defineProperty(response, 'url', { value: String(url) });
    return response;
  },
});

const holding = (text: string): Partial<ToolContext> => ({
  fs: {
    resolve: async (path: string) => `/${path}`,
    read: async () => Buffer.from(text),
    stat: async (path: string) => ({ path, kind: 'file', size: text.length }),
  } as unknown as FileAccess,
});

const resultOf = (text: string) =>
  defineReadResult({ read: async () => ({ text, total: text.length }) });

interface Row {
  readonly tool: Tool<never, unknown>;
  readonly input: unknown;
  readonly context?: Partial<ToolContext>;
}

const row = <I, O>(tool: Tool<I, O>, input: unknown, context?: Partial<ToolContext>): Row => ({
  tool: tool as unknown as Row['tool'],
  input,
  ...(context && { context }),
});

const records = JSON.stringify(
  Array.from({ length: 200_000 }, (_, n) => ({ n, name: `name ${n % 777}` })),
);
const numbered = lines(200_000, (n) => `line ${n}`);
const edits = [{ oldText: '7\n', newText: 'seven\n', occurrence: 'all' }];

const ROWS: readonly (readonly [string, () => Row])[] = [
  ...['keywords', 'summarize', 'word_count', 'reverse'].map((operation): [string, () => Row] => [
    `text_transform ${operation} of a million characters`,
    () => row(textTransform, { text: prose(1_000_000), operation }),
  ]),
  [
    'validate_yaml with a large map',
    () => row(validateYaml, { data: lines(20_000, (n) => `k${n}: v${n}`) }),
  ],
  [
    'validate_yaml with a large list',
    () => row(validateYaml, { data: `[${'a,'.repeat(100_000)}]` }),
  ],
  [
    'validate_json with 2 MB',
    () => row(validateJson, { data: `[${'1,'.repeat(990_000)}1]`, schema: { items: {} } }),
  ],
  [
    'json_parser with broken text',
    () => row(jsonParser, { text: `{${"a:'b',".repeat(140_000)}}` }),
  ],
  ['json_parser with many pieces', () => row(jsonParser, { text: '{a} '.repeat(240_000) })],
  [
    'web_scrape of a large page',
    () => row(webScrape, { url: 'https://example.com/' }, serving(page(20_000))),
  ],
  [
    'read_result with a query',
    () => row(resultOf(records), { handle: 'h', query: 'sort_by(@, &name)[:3]' }),
  ],
  [
    'read_result with a pattern',
    () => row(resultOf(numbered), { handle: 'h', grep: '(a|li)ne.*7$' }),
  ],
  [
    'edit_files in a large file',
    () => row(editFiles, { files: [{ path: 'a.yml', edits }], preview: true }, holding(numbered)),
  ],
  [
    'parse_typescript of a million characters',
    () => row(parseTypescript, { code: statements(1_000_000) }),
  ],
  [
    'analyze_code of a million characters',
    () => row(analyzeCode, { path: 'a.ts', lint: false }, holding(statements(1_000_000))),
  ],
];

beforeAll(async () => {
  // Loads the compiler that work modules need when they are run from sources.
  await runTool(textTransform, { text: 'Hello.', operation: 'sentiment' }, fakeContext());
}, 60_000);

describe('threat: data that takes long to work on', () => {
  it.each(ROWS)('%s does not block other callers', LONG, async (_title, make) => {
    const { tool, input, context } = make();
    let outcome: unknown;
    const hold = await longestHold(async () => {
      outcome = await runTool(tool, input, fakeContext(context)).catch((error: unknown) => error);
    });
    // Whatever it is: an answer, or a refusal with a code.
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: expect.any(String) });
    expect(hold).toBeLessThan(MAX_HOLD_MS);
  });
});

const inline = async <I, O>(module: WorkModule<I, O>, input: I): Promise<O> =>
  (await module.prepare(input))();

describe('work in a process gives the same answer as in this thread:', () => {
  it('text_transform', LONG, async () => {
    const text = prose(30_000);
    const work = await import('./local/text/transform-work.ts');
    for (const operation of ['word_count', 'keywords', 'entities', 'summarize'] as const) {
      const { outcome } = await inline(work, { text, operation });
      const answer = await runTool(textTransform, { text, operation }, fakeContext());
      expect(answer).toEqual({ operation, ...outcome });
    }
  });

  it('validate_yaml, validate_json and json_parser', LONG, async () => {
    const schema = { additionalProperties: { type: 'integer' } };
    const yaml = `${lines(5000, (n) => `k${n}: ${n}`)}\nlast: text\n`;
    const json = `{${lines(5000, (n) => `"k${n}": ${n}`).replaceAll('\n', ',\n')}, "a": "\\ud83d"}`;
    const validate = await import('./validation/validate-yaml-work.ts');
    expect(await runTool(validateYaml, { data: yaml, schema }, fakeContext())).toEqual(
      await inline(validate, { data: yaml, schema }),
    );
    expect(await runTool(validateJson, { data: json, schema }, fakeContext())).toEqual(
      await inline(await import('./validation/validate-json-work.ts'), { data: json, schema }),
    );
    const parsed = await inline(await import('./validation/json-parser-work.ts'), { text: json });
    expect(await runTool(jsonParser, { text: json }, fakeContext())).toEqual(parsed);
  });

  it('web_scrape, read_result and edit_files', LONG, async () => {
    const [html, url] = [page(1000), 'https://example.com/'];
    const request = { format: 'markdown' as const, maxLinks: 200 };
    const content = await inline(await import('./web/read-page-work.ts'), { html, url, request });
    expect(await runTool(webScrape, { url }, fakeContext(serving(html)))).toMatchObject(content);
    const result = resultOf(records.slice(0, 50_000).replace(/,[^,]*,[^,]*$/, ']'));
    const answer = await runTool(result, { handle: 'h', query: '[].n | max(@)' }, fakeContext());
    expect(answer.value).toBeGreaterThan(1000);
    const text = lines(5000, (n) => `line ${n}`);
    const input = { files: [{ path: 'a.txt', edits }], preview: true };
    const { files } = await runTool(editFiles, input, fakeContext(holding(text)));
    const work = await import('./filesystem/edit-text-work.ts');
    const job = { path: 'a.txt', old: text, index: 0, validate: true };
    const edited = await inline(work, {
      ...job,
      edits: [{ ...edits[0], occurrence: 'all' }] as never,
    });
    expect(files[0]?.diff).toContain(edited.hunks);
    expect(files[0]).toMatchObject({ additions: edited.additions, replacements: 500 });
  });

  it('a failure keeps its code and issues', LONG, async () => {
    const text = `${lines(5000, (n) => `"k${n}": ${n}`).replaceAll('\n', ',\n')}`;
    const hostile = `{${text}, "constructor": 1}`;
    await expect(runTool(jsonParser, { text: hostile }, fakeContext())).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extras: { issues: [{ path: ['text'] }] },
    });
  });

  it('a cancelled call ends its process', LONG, async () => {
    const gone = new AbortController();
    const input = { text: prose(1_000_000), operation: 'word_count' };
    const call = runTool(textTransform, input, fakeContext({ signal: gone.signal }));
    setTimeout(() => gone.abort(), 50);
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
