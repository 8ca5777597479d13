/**
 * What a call is going to touch, with every link resolved: the approver sees it, and an approval is
 * bound to it, so that a path that leads elsewhere by the time it is used needs a new word.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { CallTargets, Tool } from '../../contract/tool.ts';
import { resolveTarget } from '../egress/judge-url.ts';

export interface TargetDeps {
  /** The real path a name stands for. Rejects for what may not be reached. */
  resolve(path: string): Promise<string>;
}

const PATH_FIELD = /(?:^|[_-])(?:path|file|filename|dir|directory|cwd|folder|root)s?$/i;
const PATH_ENDING = /(?:Path|File|Dir|Directory|Folder|Root)s?$/;
const URL_FIELD = /(?:^|[_-])(?:url|uri|href|endpoint|webhook|address)s?$/i;
const URL_ENDING = /(?:Url|URL|Uri|Endpoint|Webhook)s?$/;

const isPathField = (key: string): boolean => PATH_FIELD.test(key) || PATH_ENDING.test(key);
const isUrlField = (key: string): boolean => URL_FIELD.test(key) || URL_ENDING.test(key);

interface Found {
  readonly paths: string[];
  readonly urls: string[];
}

/** Items of a list stand under the name of the list. Depth is bounded by validation. */
const collect = (value: unknown, key: string, found: Found): void => {
  if (typeof value === 'string') {
    if (isPathField(key)) found.paths.push(value);
    else if (isUrlField(key) || URL.canParse(value)) found.urls.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, key, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) collect(item, name, found);
  }
};

/** By the names of the fields; only what the tool can reach at all is looked for. */
const guessed = ({ needs, category }: Tool, input: unknown): CallTargets => {
  const found: Found = { paths: [], urls: [] };
  collect(input, '', found);
  const reachesFiles = needs?.paths !== undefined || category === 'filesystem';
  return {
    paths: reachesFiles ? found.paths : [],
    urls: needs?.hosts === undefined ? [] : found.urls,
  };
};

const fileTarget = async (path: string, deps: TargetDeps): Promise<string> => {
  try {
    return `file:${await deps.resolve(path)}`;
  } catch {
    // It cannot be reached now. Should that change before the call runs, it is another target.
    return `unreachable:${path}`;
  }
};

const hostTarget = (url: string): string => {
  const host = resolveTarget(url);
  return host === undefined ? `unreadable:${url}` : `host:${host}`;
};

const isTexts = (list: unknown): boolean =>
  list === undefined || (Array.isArray(list) && list.every((item) => typeof item === 'string'));

/** What the tool itself says. Nobody can approve a call whose targets cannot be told. */
const declared = (tool: Tool, input: unknown): CallTargets | undefined => {
  try {
    const targets = tool.targets?.(input);
    // One that has to be waited for would say nothing now, and so be approved for nothing named.
    if (targets instanceof Promise) targets.catch(() => undefined);
    else if (isTexts(targets?.paths) && isTexts(targets?.urls)) return targets;
  } catch {
    // The failure below says all that a caller may know of it.
  }
  throw new ToolFailure('EXECUTION_FAILED', 'The tool could not say what the call touches.');
};

/** Each once, sorted, so that two lists of the same targets are equal. */
export const targetsOf = async (
  tool: Tool,
  input: unknown,
  deps: TargetDeps,
): Promise<readonly string[]> => {
  const { paths = [], urls = [] } = declared(tool, input) ?? guessed(tool, input);
  const files = await Promise.all(paths.map((path) => fileTarget(path, deps)));
  return [...new Set([...files, ...urls.map(hostTarget)])].sort();
};

/** May an approved call change this file? Only what was shown, or what lies below it. */
export const isApprovedFile = (targets: readonly string[], path: string): boolean => {
  const files = targets.filter((target) => target.startsWith('file:'));
  // A tool whose input names no file was approved for whatever it does with its files.
  if (files.length === 0) return true;
  return files.some((target) => {
    const approved = target.slice('file:'.length);
    return path === approved || path.startsWith(`${approved.replace(/[\\/]+$/, '')}/`);
  });
};
