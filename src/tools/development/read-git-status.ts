/** Reads `git status --porcelain=v2 -z --branch`. */

export interface StatusEntry {
  readonly path: string;
  readonly state: 'changed' | 'renamed' | 'unmerged' | 'untracked' | 'ignored';
  /** One letter of git, `.` for unchanged: staged changes, and changes that are not staged. */
  readonly index: string;
  readonly worktree: string;
  /** The former name of a renamed or copied file. */
  readonly from?: string;
}

export interface GitStatus {
  /** `undefined` when no branch is checked out. */
  readonly branch?: string;
  /** `undefined` before the first commit. */
  readonly commit?: string;
  readonly upstream?: string;
  readonly ahead?: number;
  readonly behind?: number;
  readonly entries: readonly StatusEntry[];
}

/** The number of fields before the path, by the first letter of a line. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };
const STATES: Readonly<Record<string, StatusEntry['state']>> = {
  '1': 'changed',
  '2': 'renamed',
  u: 'unmerged',
  '?': 'untracked',
  '!': 'ignored',
};

const readHeader = (line: string): Omit<GitStatus, 'entries'> => {
  const [, name, ...rest] = line.split(' ');
  const value = rest.join(' ');
  if (name === 'branch.head' && value !== '(detached)') return { branch: value };
  if (name === 'branch.oid' && value !== '(initial)') return { commit: value };
  if (name === 'branch.upstream') return { upstream: value };
  if (name !== 'branch.ab') return {};
  return { ahead: Math.abs(Number(rest[0])), behind: Math.abs(Number(rest[1])) };
};

const readEntry = (line: string, from: string | undefined): StatusEntry | undefined => {
  const kind = line[0] ?? '';
  const state = Object.hasOwn(STATES, kind) ? STATES[kind] : undefined;
  if (state === undefined) return undefined;
  const skipped = FIELDS[kind] ?? 1;
  const parts = line.split(' ');
  const marks = skipped === 1 ? kind.repeat(2) : (parts[1] ?? '..');
  return {
    path: parts.slice(skipped).join(' '),
    state,
    index: marks[0] ?? '.',
    worktree: marks[1] ?? '.',
    ...(from !== undefined && { from }),
  };
};

export const readGitStatus = (output: string): GitStatus => {
  const lines = output.split('\0');
  const entries: StatusEntry[] = [];
  let headers: Omit<GitStatus, 'entries'> = {};
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('# ')) headers = { ...headers, ...readHeader(line) };
    else {
      // Only a rename is followed by a second name.
      const from = line.startsWith('2 ') ? lines[at + 1] : undefined;
      if (from !== undefined) at += 1;
      const entry = readEntry(line, from);
      if (entry) entries.push(entry);
    }
  }
  return { ...headers, entries };
};
