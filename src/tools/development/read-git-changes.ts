/** Reads git's output for programs: `--numstat -z`, and commits and branches in the formats below. */

export interface FileChange {
  readonly path: string;
  readonly from?: string;
  /** Lines; absent for binary files. */
  readonly insertions?: number;
  readonly deletions?: number;
}

export interface Commit {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly date: string;
  readonly subject: string;
  readonly body: string;
}

/** A commit cannot hold NUL, so no author can forge a field. */
const FIELDS = ['%H', '%P', '%an', '%ae', '%aI', '%s', '%b'] as const;
export const COMMIT_FORMAT = `--format=${FIELDS.join('%x00')}`;

export const readCommits = (output: string): readonly Commit[] => {
  const words = output.split('\0');
  const commits: Commit[] = [];
  for (let at = 0; at + FIELDS.length <= words.length; at += FIELDS.length) {
    const [hash = '', parents = '', author = '', email = '', date = '', subject = '', body = ''] =
      words.slice(at, at + FIELDS.length);
    commits.push({
      hash,
      parents: parents.split(' ').filter((parent) => parent !== ''),
      author,
      email,
      date,
      subject,
      body: body.trim(),
    });
  }
  return commits;
};

const lines = (count: string | undefined, name: 'insertions' | 'deletions') =>
  count === undefined || count === '-' ? {} : { [name]: Number(count) };

export const readChanges = (output: string): readonly FileChange[] => {
  const words = output.split('\0');
  const changes: FileChange[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const match = /^\n?(\d+|-)\t(\d+|-)\t([\s\S]*)$/.exec(words[at] ?? '');
    if (!match) continue;
    const counts = { ...lines(match[1], 'insertions'), ...lines(match[2], 'deletions') };
    const path = match[3] ?? '';
    // An empty name means a rename: the old and the new name follow.
    if (path === '') {
      changes.push({ path: words[at + 2] ?? '', from: words[at + 1] ?? '', ...counts });
      at += 2;
    } else changes.push({ path, ...counts });
  }
  return changes;
};

export const totalOf = (changes: readonly FileChange[]) => ({
  filesChanged: changes.length,
  insertions: changes.reduce((sum, { insertions = 0 }) => sum + insertions, 0),
  deletions: changes.reduce((sum, { deletions = 0 }) => sum + deletions, 0),
});
