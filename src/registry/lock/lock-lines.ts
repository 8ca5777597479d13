/** The lines of the lock by the tool they are about. */
import type { LockEntry } from '../../contract/lock.ts';
import type { LockStore } from './lock-store.ts';
import type { OutsideTool } from './outside-tools.ts';

type Place = Pick<OutsideTool, 'ownName' | 'origin'>;

/** The name at its source: a line may hold the one with the label of the source in front. */
const ownNameOf = ({ tool, origin }: LockEntry): string =>
  tool.startsWith(`${origin}:`) ? tool.slice(origin.length + 1) : tool;

/** Two lines with the same key say the same. */
export const lineKey = ({ tool, origin, fingerprint }: LockEntry): string =>
  `${tool}\0${origin}\0${fingerprint}`;

export const isAbout = (line: LockEntry, { ownName, origin }: Place): boolean =>
  line.origin === origin && ownNameOf(line) === ownName;

/** The origin that was first accepted under a name: it keeps the name, also while it is away. */
export const holderOf = (entries: readonly LockEntry[], name: string): string | undefined => {
  let first: LockEntry | undefined;
  for (const line of entries) {
    if (line.tool === name && (!first || line.acceptedAt < first.acceptedAt)) first = line;
  }
  return first?.origin;
};

const groupedBy = (entries: readonly LockEntry[]): Map<string, LockEntry[]> => {
  const groups = new Map<string, LockEntry[]>();
  for (const line of entries) {
    const name = ownNameOf(line);
    const group = groups.get(name);
    if (group) group.push(line);
    else groups.set(name, [line]);
  }
  return groups;
};

/** Oldest first. */
export const createLines = (store: Pick<LockStore, 'entries'>) => {
  let read: readonly LockEntry[] = [];
  let byTool = new Map<string, LockEntry[]>();

  return (tool: Place): readonly LockEntry[] => {
    const entries = store.entries();
    if (entries !== read) {
      byTool = groupedBy(entries);
      read = entries;
    }
    return (byTool.get(tool.ownName) ?? [])
      .filter((line) => isAbout(line, tool))
      .sort((a, b) => (a.acceptedAt < b.acceptedAt ? -1 : 1));
  };
};
