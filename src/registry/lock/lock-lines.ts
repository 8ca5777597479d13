/** The lines of the lock by the tool they are about. */
import type { LockEntry } from '../../contract/lock.ts';
import type { LockStore } from './lock-store.ts';
import type { OutsideTool } from './outside-tools.ts';

type Place = Pick<OutsideTool, 'name' | 'origin'>;

/** Two lines with the same key say the same. */
export const lineKey = ({ tool, origin, fingerprint }: LockEntry): string =>
  `${tool}\0${origin}\0${fingerprint}`;

export const isAbout = (line: LockEntry, { name, origin }: Place): boolean =>
  line.tool === name && line.origin === origin;

const groupedBy = (entries: readonly LockEntry[]): Map<string, LockEntry[]> => {
  const groups = new Map<string, LockEntry[]>();
  for (const line of entries) {
    const group = groups.get(line.tool);
    if (group) group.push(line);
    else groups.set(line.tool, [line]);
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
    return (byTool.get(tool.name) ?? [])
      .filter((line) => isAbout(line, tool))
      .sort((a, b) => (a.acceptedAt < b.acceptedAt ? -1 : 1));
  };
};
