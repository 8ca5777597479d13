/** Applies edits to a text one after the other. Refuses an edit whose text is missing, or not unique. */
import { ToolFailure } from '../../contract/errors.ts';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  readonly occurrence: 'unique' | 'all';
}

export interface Edited {
  readonly text: string;
  readonly replacements: number;
}

/**
 * Makes the failure of an edit. Names file and edit by number, because a message must not repeat their
 * content.
 */
const refuse = (at: { file: number; edit: number }, problem: string) =>
  new ToolFailure('CONFLICT', `files[${at.file}].edits[${at.edit}]: ${problem}`, {
    suggestions: ['Read the file again and quote the text exactly, with enough lines around it.'],
    issues: [{ path: ['files', at.file, 'edits', at.edit, 'oldText'], message: problem }],
  });

/** Makes the failure for the edits of a file as a whole. */
export const invalidEdit = (file: number, problem: string, suggestion: string) =>
  new ToolFailure('VALIDATION_ERROR', `files[${file}]: ${problem}`, {
    suggestions: [suggestion],
    issues: [{ path: ['files', file], message: problem }],
  });

/** Adapts line ends: a file with CR LF on every line keeps them, although models write LF. */
const lineEndsLike = (text: string) => {
  const isCrLf = text.includes('\r\n') && !/(^|[^\r])\n/.test(text);
  return (part: string) => (isCrLf ? part.replace(/\r?\n/g, '\r\n') : part);
};

/** Applies the edits. Throws CONFLICT when an `oldText` is missing, or not unique where it has to be. */
export const applyEdits = (text: string, edits: readonly Edit[], file: number): Edited => {
  const adapt = lineEndsLike(text);
  let current = text;
  let replacements = 0;
  edits.forEach(({ oldText, newText, occurrence }, edit) => {
    const pieces = current.split(adapt(oldText));
    const count = pieces.length - 1;
    if (count === 0) throw refuse({ file, edit }, 'oldText is not in the file.');
    if (count > 1 && occurrence === 'unique') {
      throw refuse({ file, edit }, `oldText occurs ${count} times.`);
    }
    current = pieces.join(adapt(newText));
    replacements += count;
  });
  return { text: current, replacements };
};
