/**
 * Looks at the strings of an input for signs of an attack that a schema cannot see. Every rule says
 * which tools it concerns, so that prose about `sudo` in a document is nobody's business.
 */
import type { Severity } from '../contract/errors.ts';
import type { Tool } from '../contract/tool.ts';

export interface Violation {
  readonly type: 'injection' | 'path_traversal' | 'privilege_escalation' | 'data_exfiltration';
  readonly severity: Severity;
  readonly description: string;
  readonly remedy: string;
}

interface Rule extends Violation {
  concerns(tool: Tool): boolean;
  /** `key` is the nearest property name above the string. */
  matches(text: string, key: string): boolean;
}

const PATH_KEYS =
  /^(?:.*[_-])?(?:path|file|filename|dir|directory|cwd|folder)s?$|(?:Path|File|Dir)s?$/;
const COMMAND_KEYS = /^(?:command|cmd|argv?|args|script|shell)$/;
const METADATA_HOSTS =
  /^(?:https?:)?\/\/(?:169\.254\.169\.254|169\.254\.170\.2|100\.100\.100\.200|metadata\.google\.internal|\[fd00:ec2::254\])(?:[:/?#]|$)/i;

/** Climbs above where it started, on any platform's separators. */
const climbsOut = (path: string): boolean => {
  let depth = 0;
  for (const segment of path.split(/[/\\]/)) {
    if (segment === '..') depth--;
    else if (segment !== '' && segment !== '.') depth++;
    if (depth < 0) return true;
  }
  return false;
};

const touchesFiles = (tool: Tool): boolean =>
  tool.category === 'filesystem' || tool.category === 'search' || tool.needs?.paths !== undefined;

const RULES: readonly Rule[] = [
  {
    type: 'injection',
    severity: 'high',
    description: 'A path or command holds a NUL character.',
    remedy: 'Send the plain name.',
    concerns: (tool) => touchesFiles(tool) || tool.tier === 'execute',
    matches: (text, key) =>
      (PATH_KEYS.test(key) || COMMAND_KEYS.test(key)) && text.includes('\u0000'),
  },
  {
    type: 'path_traversal',
    severity: 'high',
    description: 'A path climbs out of the workspace.',
    remedy: 'Give a path relative to the workspace root, without leading "..".',
    concerns: touchesFiles,
    matches: (text, key) => PATH_KEYS.test(key) && text.includes('..') && climbsOut(text),
  },
  {
    type: 'privilege_escalation',
    severity: 'critical',
    description: 'A command asks for the rights of another user.',
    remedy: 'Run the command without sudo, doas, su or pkexec.',
    concerns: (tool) => tool.tier === 'execute',
    matches: (text, key) =>
      COMMAND_KEYS.test(key) && /^\s*(?:sudo|doas|su|pkexec)(?:\s|$)/.test(text),
  },
  {
    type: 'data_exfiltration',
    severity: 'critical',
    description: "A URL points at a cloud provider's metadata service.",
    remedy: 'These addresses hand out credentials and are never reachable through a tool.',
    concerns: (tool) => tool.tier === 'external_api' || tool.needs?.hosts !== undefined,
    matches: (text) => METADATA_HOSTS.test(text),
  },
];

const NONE: readonly Violation[] = Object.freeze([]);

/** Tells what looks like an attack in the input of one tool. Rules are chosen once per tool. */
export const inspectorFor = (tool: Tool): ((input: unknown) => readonly Violation[]) => {
  const rules = RULES.filter((rule) => rule.concerns(tool));
  if (rules.length === 0) return () => NONE;
  return (input) => {
    const found = new Set<Rule>();
    visitStrings(input, '', (text, key) => {
      for (const rule of rules) if (rule.matches(text, key)) found.add(rule);
    });
    if (found.size === 0) return NONE;
    return [...found].map(({ type, severity, description, remedy }) => ({
      type,
      severity,
      description,
      remedy,
    }));
  };
};

/** Depth is bounded by validation, which ran before. */
const visitStrings = (
  value: unknown,
  key: string,
  visit: (text: string, key: string) => void,
): void => {
  if (typeof value === 'string') visit(value, key);
  else if (Array.isArray(value)) for (const item of value) visitStrings(item, key, visit);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) visitStrings(item, name, visit);
  }
};
