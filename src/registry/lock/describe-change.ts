/** What a person reads before a definition is accepted: the difference to what was accepted last. */
import type { LockEntry } from '../../contract/lock.ts';
import { diffTexts } from '../../kit/text/unified-diff.ts';
import { definitionLines } from './definition-lines.ts';
import type { Visible } from './visible.ts';

const headOf = (before: LockEntry | undefined, { text }: Visible): string =>
  before
    ? `--- accepted ${text(before.acceptedAt)} by ${text(before.acceptedBy)}`
    : '--- not known';

/** Padding is counted where it is shown, and may be all there is to a difference. */
const BLANKS_ONLY = '+ the definitions differ in blanks alone';

const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

export const describeChange = (
  before: LockEntry | undefined,
  definition: unknown,
  visible: Visible,
): string => {
  const was = before ? definitionLines(before.definition, visible) : [];
  const { hunks } = diffTexts(asText(was), asText(definitionLines(definition, visible)));
  return `${headOf(before, visible)}\n+++ now\n${hunks.slice(0, -1) || BLANKS_ONLY}`;
};
