/** Shows a proposed change of a catalog as the difference of two texts, as a reviewer reads it. */
import type { TeamChange, TeamEntry } from '../../contract/team.ts';
import { diffTexts } from '../../kit/text/unified-diff.ts';
import { entryKey } from './entry-shape.ts';

const HEAD = '--- published\n+++ proposed\n';

/** Writes an entry as text: a tool as its file, a rule or an API as YAML, others in one line. */
const textOf = async (entry: TeamEntry): Promise<string> => {
  if (entry.kind === 'tool') return entry.text;
  if (entry.kind !== 'rule' && entry.kind !== 'source') return `${entry.kind} ${entry.name}\n`;
  const { stringify } = await import('yaml');
  const value = entry.kind === 'rule' ? entry.rule : { type: entry.type, settings: entry.settings };
  // By key and unfolded: the same content gives the same lines, whoever wrote it.
  return stringify(value, { sortMapEntries: true, lineWidth: 0, aliasDuplicateObjects: false });
};

/** Compares a change with the published entries. Empty when it would change nothing. */
export const changeDiff = async (
  entries: readonly TeamEntry[],
  change: TeamChange,
): Promise<string> => {
  const key = entryKey(change.action === 'put' ? change.entry : change);
  const old = entries.find((entry) => entryKey(entry) === key);
  const before = old ? await textOf(old) : '';
  const after = change.action === 'put' ? await textOf(change.entry) : '';
  const { hunks } = diffTexts(before, after);
  return hunks === '' ? '' : `${HEAD}${hunks}`;
};
