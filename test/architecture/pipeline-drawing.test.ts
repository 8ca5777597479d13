/** The pipeline in code, drawing and list; and a drawing or a list that is wrong is found. */
import { describe, expect, it } from 'vitest';
import { checkPipeline, drawnStages, MANDATORY, stagesOf } from './pipeline-drawing.ts';
import { readText } from './source-text.ts';

const code = (names: readonly string[]) => ({
  path: 'src/pipeline/governed.ts',
  text: `export const governed = (deps) => pipeline()
    ${names
      .slice(0, -1)
      .map((name) => `.through(${name}(deps.through)) // adds it\n`)
      .join('')}
    .endingIn(${names.at(-1)}(deps));`,
});
const drawing = (names: readonly string[]) =>
  `text\n\`\`\`pipeline\n${names.map((name, i) => `${i + 1}. ${name}  why`).join('\n')}\n\`\`\`\n`;

const swapped = MANDATORY.map((name) =>
  name === 'approve' ? 'reserveBudget' : name === 'reserveBudget' ? 'approve' : name,
);
const without = (gone: string) => MANDATORY.filter((name) => name !== gone);

describe('pipeline', () => {
  it('is drawn in ARCHITECTURE.md as it stands in governed.ts, every stage in its place', () => {
    const path = 'src/pipeline/governed.ts';
    expect(checkPipeline({ path, text: readText(path) }, readText('ARCHITECTURE.md'))).toEqual([]);
  });

  it('is read in the order in which a call meets the stages', () => {
    expect(stagesOf(code(['a', 'b', 'c']))).toEqual(['a', 'b', 'c']);
    expect(drawnStages(drawing(['a', 'b']))).toEqual(['a', 'b']);
  });

  it('fails on a stage that is missing, moved or doubled in the code', () => {
    const page = drawing(MANDATORY);
    expect(checkPipeline(code(MANDATORY), page)).toEqual([]);
    expect(checkPipeline(code(without('record')), page)).toHaveLength(1);
    expect(checkPipeline(code(swapped), page)).toHaveLength(1);
    expect(checkPipeline(code(['record', ...MANDATORY]), page)).toHaveLength(1);
  });

  it('fails on a drawing that is wrong or gone', () => {
    expect(checkPipeline(code(MANDATORY), drawing(swapped))).toHaveLength(1);
    expect(checkPipeline(code(MANDATORY), drawing(without('inspect')))).toHaveLength(1);
    expect(checkPipeline(code(MANDATORY), 'no drawing')).toHaveLength(1);
  });
});
