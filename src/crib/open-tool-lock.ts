/**
 * The lock of tools from outside: the files that hold what was accepted, and the gate that asks them.
 * What judges is loaded when something comes from outside, which for many cribs is never.
 */

import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/schema.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { LockEntry, ToolLock } from '../contract/lock.ts';
import type { Runtime } from '../contract/runtime.ts';
import { visibleItem, visibleJson, visibleLines } from '../kit/text/visible-text.ts';
import type { JudgingLock, LockMode } from '../registry/lock/create-tool-lock.ts';
import { type Gate, NOT_JUDGED } from '../registry/lock/gate.ts';
import type { LockStore } from '../registry/lock/lock-lines.ts';
import { formatLock, parseLock } from '../registry/lock/lock-text.ts';
import type { Visible } from '../registry/lock/visible.ts';
import type { ToolFamilies } from '../registry/tool-families.ts';
import {
  type LockFile,
  type LockFiles,
  type LockLocation,
  readLockFiles,
  writeProjectLock,
  writeUserLock,
} from '../trust/lock-file.ts';

export interface ToolLockOptions {
  /**
   * Where accepted tools are kept: files, or `memory` for as long as the crib lives. By default
   * the user's own file; a project's counts only where its trust is handed over.
   */
  readonly lock?: LockLocation | 'memory';
}

export interface OpenedLock {
  /** `undefined` where the configuration wants none. */
  readonly gate: Gate | undefined;
  readonly lock: ToolLock;
}

const VISIBLE: Visible = { text: visibleItem, lines: visibleLines, json: visibleJson };

const linesIn = (file: LockFile | undefined): readonly LockEntry[] => {
  if (file?.text === undefined) return [];
  const reading = parseLock(file.text, VISIBLE);
  if ('entries' in reading) return reading.entries;
  const { line, message } = reading.fault;
  throw new ConfigError([{ file: file.path, line, path: '', message }]);
};

const memoryStore = (): LockStore => {
  let lines: readonly LockEntry[] = [];
  return {
    entries: () => lines,
    own: () => lines,
    change: async (edit) => {
      lines = edit(lines);
    },
  };
};

const NOT_KEPT = 'Something else in .toolcrib has changed as well, so it is not trusted any more';

interface Lines {
  readonly user: readonly LockEntry[];
  readonly project: readonly LockEntry[];
}

/** Which of the lines belong to the user's lock in this place; all of them where there is no project's. */
const ownerOf = ({ project }: LockLocation, files: LockFiles): ((line: LockEntry) => boolean) =>
  files.project ? ({ origin }) => project?.isUserOrigin?.(origin) ?? false : () => true;

/** Puts each line where it was; one that is new goes where its source is configured. */
const divide = (
  lines: readonly LockEntry[],
  { user, project }: Lines,
  isUsers: (line: LockEntry) => boolean,
): Lines => {
  const goesToUser = (line: LockEntry): boolean =>
    user.includes(line) || (!project.includes(line) && isUsers(line));
  return {
    user: [...user.filter((line) => !isUsers(line)), ...lines.filter(goesToUser)],
    project: lines.filter((line) => !goesToUser(line)),
  };
};

const isSame = (some: readonly LockEntry[], others: readonly LockEntry[]): boolean =>
  some.length === others.length && some.every((line, index) => line === others[index]);

/** Throws `ConfigError` for a file that is broken. */
const fileStore = async (place: LockLocation, runtime: Runtime): Promise<LockStore> => {
  let files = await readLockFiles(place);
  let held: Lines = { user: linesIn(files.user), project: linesIn(files.project) };
  let all = [...held.user, ...held.project];
  const isUsers = ownerOf(place, files);
  const own = (): readonly LockEntry[] => [...held.user.filter(isUsers), ...held.project];
  const writeProject = async (lines: readonly LockEntry[]): Promise<void> => {
    const { project, userDir } = place;
    if (!project || !files.project || isSame(lines, held.project)) return;
    const after = formatLock(lines, VISIBLE);
    const edit = { before: files.project.text, after, now: runtime.now() };
    const isKept = await writeProjectLock({ ...project, userDir }, edit);
    if (!isKept) runtime.log.warn(NOT_KEPT, { next: 'toolcrib trust' });
    files = { ...files, project: { ...files.project, text: after } };
  };
  const writeUser = async (lines: readonly LockEntry[]): Promise<void> => {
    if (isSame(lines, held.user)) return;
    const after = formatLock(lines, VISIBLE);
    await writeUserLock(place.userDir, { before: files.user.text, after, now: runtime.now() });
    files = { ...files, user: { ...files.user, text: after } };
  };
  return {
    entries: () => all,
    own,
    async change(edit) {
      const next = divide(edit(own()), held, isUsers);
      await writeProject(next.project);
      await writeUser(next.user);
      held = next;
      all = [...held.user, ...held.project];
    },
  };
};

/** Nothing is held, and so there is nothing to accept. */
const OFF: ToolLock = {
  states: () => [],
  accept: async () => {
    throw new ToolFailure('CONFLICT', 'The lock is off, so no tool waits to be accepted.', {
      suggestions: ['Set registry.lock to strict.'],
    });
  },
  forget: async () => 0,
};

interface Lazily {
  readonly store: LockStore;
  readonly mode: LockMode;
  readonly runtime: Runtime;
}

/** The part that judges, made once it is loaded and there is a families to judge. */
const lazyJudging = async (parts: Lazily) => {
  const load = async () => (await import('../registry/lock/create-tool-lock.ts')).createToolLock;
  let create = parts.store.entries().length > 0 ? await load() : undefined;
  let families: ToolFamilies | undefined;
  let made: JudgingLock | undefined;
  return {
    guard: (guarded: ToolFamilies): void => {
      families = guarded;
    },
    prepare: async (): Promise<void> => {
      create ??= await load();
    },
    get(): JudgingLock | undefined {
      if (families && create) made ??= create({ ...parts, families, visible: VISIBLE });
      return made;
    },
  };
};

export interface LockDeps {
  readonly config: Pick<Config, 'registry'>;
  readonly runtime: Runtime;
  /** The user's configuration folder. */
  readonly userDir: string;
}

/** Throws `ConfigError` when a file of the lock is broken, with its line. */
export const openToolLock = async (
  { lock: where }: ToolLockOptions,
  { config, runtime, userDir }: LockDeps,
): Promise<OpenedLock> => {
  const mode = config.registry.lock;
  if (mode === 'off') return { gate: undefined, lock: OFF };
  const store = where === 'memory' ? memoryStore() : await fileStore(where ?? { userDir }, runtime);
  const judging = await lazyJudging({ store, mode, runtime });
  return {
    gate: {
      guard: judging.guard,
      async prepare() {
        await judging.prepare();
        judging.get()?.refresh();
      },
      judge(registered) {
        const lock = judging.get();
        return lock ? lock.judge(registered) : NOT_JUDGED;
      },
      holderOf: (name) => judging.get()?.holderOf?.(name),
      acceptFirstUse: async () => judging.get()?.acceptFirstUse(),
    },
    lock: {
      states: () => judging.get()?.states() ?? [],
      async accept(tools, by) {
        await judging.prepare();
        return (await judging.get()?.accept(tools, by)) ?? [];
      },
      forget: async (tools) => (await judging.get()?.forget(tools)) ?? 0,
    },
  };
};
