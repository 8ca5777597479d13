/** Accepts tools: writes the lock first, then releases them from quarantine. */
import { ToolFailure } from '../../contract/errors.ts';
import type { LockEntry, SeenTool, ToolLock } from '../../contract/lock.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { suggest } from '../search/suggest.ts';
import type { ToolFamilies } from '../tool-families.ts';
import type { Gate } from './gate.ts';
import { isAbout, type LockStore } from './lock-lines.ts';
import type { OutsideTool, OutsideTools } from './outside-tools.ts';

export interface AcceptDeps {
  readonly families: ToolFamilies;
  readonly tools: OutsideTools;
  readonly store: LockStore;
  readonly runtime: Runtime;
  readonly judge: Gate['judge'];
}

const notThere = (name: string, all: readonly OutsideTool[]): ToolFailure => {
  const near = suggest(
    name,
    all.map((tool) => tool.name),
  );
  return new ToolFailure('TOOL_NOT_FOUND', 'There is no tool from outside of that name.', {
    suggestions: [
      ...(near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : []),
      'See them all: toolcrib tools lock',
    ],
  });
};

/** Finds all versions of the named tool, or only the one that the person has seen. */
const versionsOf = (
  target: string | SeenTool,
  { families, tools }: AcceptDeps,
): readonly OutsideTool[] => {
  const seenTool = typeof target === 'string' ? undefined : target;
  const label = typeof target === 'string' ? target : target.tool;
  const name = families.find(label)?.name;
  const versions = tools.all().filter((tool) => tool.name === name);
  if (versions.length === 0) throw notThere(label, tools.all());
  if (!seenTool) return versions;
  const same = versions.filter(({ pinned }) => pinned?.fingerprint === seenTool.fingerprint);
  if (same.length > 0) return same;
  throw new ToolFailure('CONFLICT', `The definition of ${name} has changed since it was shown.`, {
    suggestions: ['Look at the difference again before you accept it.'],
  });
};

const entryFor = ({
  name,
  origin,
  registered,
  pinned,
}: OutsideTool): Omit<LockEntry, 'acceptedAt' | 'acceptedBy'> => {
  if (!pinned) {
    const message = `The definition of ${name} is too large or no plain data, so it cannot be pinned.`;
    throw new ToolFailure('CONFIG_INVALID', message);
  }
  const { source, version } = registered.tool;
  return { tool: name, origin, source, version, ...pinned };
};

/** Releases tools after judging them again: a source may have changed them in the meantime. */
const release = (names: ReadonlySet<string>, { families, tools, judge }: AcceptDeps): void => {
  tools.refresh();
  for (const { registered, name } of tools.all()) {
    if (registered.quarantine && names.has(name)) families.hold(registered, judge(registered));
  }
};

export const createAccept =
  (deps: AcceptDeps): ToolLock['accept'] =>
  async (targets, by) => {
    const { tools, store, runtime } = deps;
    const all = new Set(targets.flatMap((target) => versionsOf(target, deps)));
    const heldTools = [...all].filter(({ registered }) => registered.quarantine);
    if (heldTools.length === 0) return [];
    const acceptedAt = new Date(runtime.now()).toISOString();
    const entries = heldTools.map((tool) => ({ ...entryFor(tool), acceptedAt, acceptedBy: by }));
    const added = new Set(entries.map(({ fingerprint }) => fingerprint));
    const present = new Set(tools.all().map(({ pinned }) => pinned?.fingerprint));
    // A line that matches no registered version is replaced; the line of another version stays.
    const stays = (line: LockEntry): boolean =>
      !heldTools.some((tool) => isAbout(line, tool)) ||
      (present.has(line.fingerprint) && !added.has(line.fingerprint));
    await store.change((own) => [...own.filter(stays), ...entries]);
    release(new Set(heldTools.map(({ name }) => name)), deps);
    return entries;
  };
