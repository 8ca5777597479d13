/** The lines of the lock, looked up by tool. A line is one accepted definition. */
import type { LockEntry } from '../../contract/lock.ts';
import type { OutsideTool } from './outside-tools.ts';

/** Where the lock keeps its lines. */
export interface LockStore {
  /** Lists every valid line. Returns the same array until something changes. */
  entries(): readonly LockEntry[];
  /** Lists the lines of the file that this lock writes. */
  own(): readonly LockEntry[];
  /** Rewrites its own lines, or throws and changes nothing. */
  change(edit: (own: readonly LockEntry[]) => readonly LockEntry[]): Promise<void>;
}

type ToolAtSource = Pick<OutsideTool, 'ownName' | 'origin'>;

/** Gives the name at the source: a line may hold the name with the label of the source in front. */
const ownNameOf = ({ tool, origin }: LockEntry): string =>
  tool.startsWith(`${origin}:`) ? tool.slice(origin.length + 1) : tool;

/** Identifies a line: two lines with the same key are equal. */
export const lineKey = ({ tool, origin, fingerprint }: LockEntry): string =>
  `${tool}\0${origin}\0${fingerprint}`;

export const isAbout = (line: LockEntry, { ownName, origin }: ToolAtSource): boolean =>
  line.origin === origin && ownNameOf(line) === ownName;

/** Finds the origin that was first accepted under a name. It keeps the name while it is not loaded. */
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

/** Makes a lookup of the lines of a tool, the oldest first. */
export const createLines = (store: Pick<LockStore, 'entries'>) => {
  let read: readonly LockEntry[] = [];
  let byTool = new Map<string, LockEntry[]>();

  return (tool: ToolAtSource): readonly LockEntry[] => {
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
