/** Keeps an undo from the files of another machine: equal paths here are other files. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { hostOf } from '../../kit/data/place.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

/** Throws CONFLICT when the files are at another place. */
export const assertHere = (elsewhere: string | undefined): void => {
  if (elsewhere === undefined) return;
  const host = visibleText(hostOf(elsewhere));
  throw new ToolFailure('CONFLICT', `The call changed files of ${host}; nothing was undone.`, {
    suggestions: [`Undo it on ${host}.`],
  });
};

/** Tells whether the tool's own undo may work on files. */
export const undoesFiles = ({ needs }: Tool): boolean => (needs?.paths?.length ?? 0) > 0;
