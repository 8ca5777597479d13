/** Reads robots.txt (RFC 9309), to tell whether an agent may read a path. */

interface Rule {
  readonly allow: boolean;
  readonly path: string;
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
}

/** Reads the groups in the order of the file; consecutive agent lines share one. */
const groupsOf = (text: string): readonly Group[] => {
  const groups: Group[] = [];
  let current: Group | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, key = '', value = ''] = /^\s*([A-Za-z-]+)\s*:([^#]*)/.exec(line) ?? [];
    const name = key.toLowerCase();
    if (name === 'user-agent') {
      if (!current || current.rules.length > 0) {
        current = { agents: [], rules: [] };
        groups.push(current);
      }
      current.agents.push(value.trim().toLowerCase());
    } else if ((name === 'allow' || name === 'disallow') && value.trim() !== '') {
      current?.rules.push({ allow: name === 'allow', path: value.trim() });
    }
  }
  return groups;
};

/**
 * Matches a path: `*` is any text, `$` at the end is the end. Searches each piece once, from left to
 * right.
 */
const matches = (pattern: string, path: string): boolean => {
  const anchored = pattern.endsWith('$');
  const pieces = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...others] = pieces;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = anchored ? others.pop() : undefined;
  for (const piece of others) {
    const start = path.indexOf(piece, at);
    if (start < 0) return false;
    at = start + piece.length;
  }
  if (!anchored) return true;
  return last === undefined
    ? at === path.length
    : path.length - last.length >= at && path.endsWith(last);
};

/**
 * Tells whether an agent may read a path with its query. The longest rule decides; of two equal ones, the
 * one that allows.
 */
export const allowsRobot = (robots: string, agent: string, path: string): boolean => {
  const groups = groupsOf(robots);
  const own = groups.filter(({ agents }) => agents.includes(agent));
  const applicable = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'));
  let best: Rule | undefined;
  for (const rule of applicable.flatMap(({ rules }) => rules)) {
    if (!matches(rule.path, path)) continue;
    const longer = rule.path.length - (best?.path.length ?? -1);
    if (longer > 0 || (longer === 0 && rule.allow)) best = rule;
  }
  return best?.allow ?? true;
};
