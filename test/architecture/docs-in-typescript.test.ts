/** The JavaScript of the documentation is also strict TypeScript: readers copy it into either. */
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../e2e/doc-blocks.ts';
import { compilePrograms } from './compile-programs.ts';

const PAGES = [
  ...['README.md', 'docs/library.md', 'docs/composition.md', 'docs/flows.md', 'docs/jobs.md'],
  ...['docs/governance.md', 'docs/health.md', 'docs/sources/graphql.md', 'docs/sources/grpc.md'],
];

/** What a reader's own project need not be as strict about: names that a sample leaves unused. */
const UNUSED = /^TS(6133|6198|6192)/;

const TYPED_DRY_RUN = `import { createCrib, defineTool } from 'toolcrib';
const crib = await createCrib({ store: 'memory' });
const one = defineTool({ name: 'one', description: '', tier: 'read_only', input: { type: 'object' }, run: () => 1 });
const report = await crib.execute(one, {}, { dryRun: true });
export const verdict: 'allow' | 'ask' | undefined = report.data?.verdict;
const result = await crib.execute(one, {});
export const data: number | undefined = result.data;
`;

describe('the JavaScript of the documentation', () => {
  it('compiles as strict TypeScript, and a wrong type would be found', () => {
    const blocks = PAGES.flatMap((page) => blocksOf(page, 'js'));
    expect(blocks.length).toBeGreaterThan(20);
    const programs = blocks.map(
      ({ page, line, code }) => [`${page.replaceAll(/[/.]/g, '-')}-${line}.ts`, code] as const,
    );
    const wrong = TYPED_DRY_RUN.replace('data: number', 'data: string');
    const errors = compilePrograms({
      ...Object.fromEntries(programs),
      'dry-run.ts': TYPED_DRY_RUN,
      'wrong.ts': wrong,
    });
    const real = errors.filter(({ message }) => !UNUSED.test(message));
    expect(real.map(({ file, line, message }) => [file, line, message])).toEqual([
      ['wrong.ts', expect.any(Number), expect.stringContaining('TS2322')],
    ]);
  }, 300_000);
});
