/** Code of the pages of the documentation, taken out to be run. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface Block {
  readonly page: string;
  /** Of the fence, counted from 1. */
  readonly line: number;
  readonly code: string;
}

export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** The blocks of a page in one language, in their order. */
export const blocksOf = (page: string, language: string): readonly Block[] => {
  const text = textOf(page);
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...text.matchAll(fence)].map((match) => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    code: match[1] ?? '',
  }));
};

/** What a reader would install is what was just built. */
export const resolved = (code: string): string => {
  const here = (path: string): string => pathToFileURL(join(root, path)).href;
  return code
    .replaceAll("from 'toolcrib'", `from '${here('dist/index.js')}'`)
    .replaceAll("from 'zod'", `from '${import.meta.resolve('zod')}'`);
};
