/** The work of `edit_files` on one file: applies the edits, checks what comes out, and compares. */
import type { TextDiff } from '../../kit/text/unified-diff.ts';
import { applyEdits, type Edit, invalidEdit } from './apply-edits.ts';
import { loadParser, stillParses } from './still-parses.ts';

export interface EditJob {
  readonly path: string;
  readonly old: string;
  readonly edits: readonly Edit[];
  /** The number of the file among those of the call. */
  readonly index: number;
  readonly validate: boolean;
}

export interface EditedText extends TextDiff {
  readonly text: string;
  readonly replacements: number;
}

export const prepare = async ({ path, old, edits, index, validate }: EditJob) => {
  const { diffTexts } = await import('../../kit/text/unified-diff.ts');
  const parses = validate ? await loadParser(path) : undefined;
  return (): EditedText => {
    const { text, replacements } = applyEdits(old, edits, index);
    if (validate && text === old) {
      throw invalidEdit(index, 'The edits change nothing.', 'Leave the file out.');
    }
    if (parses && !stillParses(parses, old, text)) {
      throw invalidEdit(
        index,
        'The edits would break a file that can be parsed now.',
        'Correct the edits, or set validateChanges to false.',
      );
    }
    return { text, replacements, ...diffTexts(old, text) };
  };
};
