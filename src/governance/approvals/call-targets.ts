/**
 * Resolves what a call is going to touch, links included. The approver sees it and an approval is
 * bound to it, so that a path that leads elsewhere later needs a new approval.
 */
import type { ApprovedPath } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { PathState, PathUse } from '../../contract/path-state.ts';
import type { CallTargets, Tool } from '../../contract/tool.ts';
import { resolveTarget } from '../egress/judge-url.ts';
import { ownCopy } from '../own-copy.ts';

export interface TargetDeps {
  /** Makes a name absolute without resolving links. */
  spellOut(path: string): string;
  /** Resolves a name to its real path. Rejects for one that may not be reached. */
  resolve(path: string): Promise<string>;
  /** Reads the state of a real path. */
  stateOf(real: string, use: PathUse): PathState;
  /** Lists the files and folders that are named by the programs the call will run. */
  programPaths(tool: Tool, input: unknown): Promise<readonly UsedPath[]>;
}

/** A path as it is named, and what the call does with it. */
export interface UsedPath {
  readonly path: string;
  readonly use: PathUse;
}

export interface ResolvedTargets {
  /** One entry for each path and URL that the input names, in the order of the input. */
  readonly targets: readonly string[];
  readonly paths: readonly ApprovedPath[];
}

const PATH_FIELD = /(?:^|[_-])(?:path|file|filename|dir|directory|cwd|folder|root)s?$/i;
const PATH_ENDING = /(?:Path|File|Dir|Directory|Folder|Root)s?$/;
const URL_FIELD = /(?:^|[_-])(?:url|uri|href|endpoint|webhook|address)s?$/i;
const URL_ENDING = /(?:Url|URL|Uri|Endpoint|Webhook)s?$/;

const isPathField = (key: string): boolean => PATH_FIELD.test(key) || PATH_ENDING.test(key);
const isUrlField = (key: string): boolean => URL_FIELD.test(key) || URL_ENDING.test(key);

interface NamedTargets {
  readonly paths: string[];
  readonly urls: string[];
}

/**
 * Collects paths and URLs. Items of a list have the name of the list. Depth is bounded by
 * validation. Keys are sorted, so that the targets have the order of the canonical input.
 */
const collect = (value: unknown, key: string, targets: NamedTargets): void => {
  if (typeof value === 'string') {
    if (isPathField(key)) targets.paths.push(value);
    else if (isUrlField(key) || URL.canParse(value)) targets.urls.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, key, targets);
  } else if (typeof value === 'object' && value !== null) {
    const members = value as Record<string, unknown>;
    for (const name of Object.keys(members).sort()) collect(members[name], name, targets);
  }
};

/** Guesses targets by the names of fields; only what the tool can reach is searched. */
const guessed = ({ needs, category }: Tool, input: unknown): CallTargets => {
  const targets: NamedTargets = { paths: [], urls: [] };
  collect(input, '', targets);
  const reachesFiles = needs?.paths !== undefined || category === 'filesystem';
  return {
    paths: reachesFiles ? targets.paths : [],
    urls: needs?.hosts === undefined ? [] : targets.urls,
  };
};

const namedPath = async ({ path, use }: UsedPath, deps: TargetDeps): Promise<ApprovedPath> => {
  let asked = path;
  try {
    asked = deps.spellOut(path);
    const real = await deps.resolve(path);
    return { asked, real, state: deps.stateOf(real, use) };
  } catch {
    // It cannot be reached now. If that changes before the call runs, it is another target.
    return { asked, real: undefined };
  }
};

const fileTarget = ({ real }: ApprovedPath, path: string): string =>
  real === undefined ? `unreachable:${path}` : `file:${real}`;

const hostTarget = (url: string): string => {
  const host = resolveTarget(url);
  return host === undefined ? `unreadable:${url}` : `host:${host}`;
};

const isTexts = (list: unknown): boolean =>
  list === undefined || (Array.isArray(list) && list.every((item) => typeof item === 'string'));

/** Reads the targets that the tool declares. Throws when it cannot: nobody can approve those. */
const declared = (tool: Tool, input: unknown): CallTargets | undefined => {
  try {
    const targets = tool.targets?.(ownCopy(input));
    // A promise says nothing now, so the approval would cover no named target.
    if (targets instanceof Promise) targets.catch(() => undefined);
    else if (isTexts(targets?.paths) && isTexts(targets?.urls)) return targets;
  } catch {
    // The failure below is all that a caller may know.
  }
  throw new ToolFailure('EXECUTION_FAILED', 'The tool could not say what the call touches.');
};

/**
 * Resolves what the input names. The list is neither sorted nor deduplicated: two links that swap
 * their targets lead to the same files and are still another call.
 */
export const resolveTargets = async (
  tool: Tool,
  input: unknown,
  deps: TargetDeps,
): Promise<ResolvedTargets> => {
  const named = declared(tool, input) ?? guessed(tool, input);
  const fields = (named.paths ?? []).map((path): UsedPath => ({ path, use: 'named' }));
  const names = [...fields, ...(await deps.programPaths(tool, input))];
  const paths = await Promise.all(names.map((each) => namedPath(each, deps)));
  const files = paths.map((path, at) => fileTarget(path, (names[at] as UsedPath).path));
  return { targets: [...files, ...(named.urls ?? []).map(hostTarget)], paths };
};

/** Lists the states of the paths that can be reached, in the order of the targets. */
export const statesOf = ({ paths }: Pick<ResolvedTargets, 'paths'>): readonly PathState[] =>
  paths.flatMap(({ state }) => (state ? [state] : []));
