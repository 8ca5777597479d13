/**
 * Opens the lock of tools from outside: the files with the accepted definitions, and the gate that
 * compares tools with them. The comparing part is loaded when a tool comes from outside.
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
import { warnUntrusted } from './project/warn-untrusted.ts';

export interface ToolLockOptions {
  /**
   * Where accepted definitions are kept: files, or `memory` for the life of the crib. By default
   * the user's own file; a project's file counts only with the project's trust.
   */
  readonly lock?: LockLocation | 'memory';
}

export interface OpenedLock {
  /** `undefined` when `registry.lock` is off. */
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

interface Lines {
  readonly user: readonly LockEntry[];
  readonly project: readonly LockEntry[];
}

/** Makes the test for lines of the user's lock: all of them when the project has none. */
const ownerOf = ({ project }: LockLocation, files: LockFiles): ((line: LockEntry) => boolean) =>
  files.project ? ({ origin }) => project?.isUserOrigin?.(origin) ?? false : () => true;

/**
 * Divides the lines over the two files: each stays in its file, and a new one goes where its source is
 * configured.
 */
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

/** Keeps the lock in files. Throws `ConfigError` for an invalid file. */
const fileStore = async (location: LockLocation, runtime: Runtime): Promise<LockStore> => {
  let files = await readLockFiles(location);
  let current: Lines = { user: linesIn(files.user), project: linesIn(files.project) };
  let all = [...current.user, ...current.project];
  const isUsers = ownerOf(location, files);
  const own = (): readonly LockEntry[] => [...current.user.filter(isUsers), ...current.project];
  const writeProject = async (lines: readonly LockEntry[]): Promise<void> => {
    const { project, userDir } = location;
    if (!project || !files.project || isSame(lines, current.project)) return;
    const after = formatLock(lines, VISIBLE);
    const edit = { before: files.project.text, after, now: runtime.now() };
    const isKept = await writeProjectLock({ ...project, userDir }, edit);
    if (!isKept) warnUntrusted(runtime.log);
    files = { ...files, project: { ...files.project, text: after } };
  };
  const writeUser = async (lines: readonly LockEntry[]): Promise<void> => {
    if (isSame(lines, current.user)) return;
    const after = formatLock(lines, VISIBLE);
    await writeUserLock(location.userDir, { before: files.user.text, after, now: runtime.now() });
    files = { ...files, user: { ...files.user, text: after } };
  };
  return {
    entries: () => all,
    own,
    async change(edit) {
      const next = divide(edit(own()), current, isUsers);
      await writeProject(next.project);
      await writeUser(next.user);
      current = next;
      all = [...current.user, ...current.project];
    },
  };
};

/** The lock that is switched off: no tool is in quarantine. */
const OFF: ToolLock = {
  states: () => [],
  accept: async () => {
    throw new ToolFailure('CONFLICT', 'The lock is off, so no tool waits to be accepted.', {
      suggestions: ['Set registry.lock to strict.'],
    });
  },
  forget: async () => 0,
};

interface LazyLockDeps {
  readonly store: LockStore;
  readonly mode: LockMode;
  readonly runtime: Runtime;
}

/** Makes the tool lock once its code is loaded and the registry has its tools. */
const lazyJudging = async (deps: LazyLockDeps) => {
  const load = async () => (await import('../registry/lock/create-tool-lock.ts')).createToolLock;
  let create = deps.store.entries().length > 0 ? await load() : undefined;
  let families: ToolFamilies | undefined;
  let lock: JudgingLock | undefined;
  return {
    guard: (guarded: ToolFamilies): void => {
      families = guarded;
    },
    prepare: async (): Promise<void> => {
      create ??= await load();
    },
    get(): JudgingLock | undefined {
      if (families && create) lock ??= create({ ...deps, families, visible: VISIBLE });
      return lock;
    },
  };
};

export interface LockDeps {
  readonly config: Pick<Config, 'registry'>;
  readonly runtime: Runtime;
  /** The user's configuration folder. */
  readonly userDir: string;
}

/** Opens the lock. Throws `ConfigError` with the line when a lock file is invalid. */
export const openToolLock = async (
  { lock: location }: ToolLockOptions,
  { config, runtime, userDir }: LockDeps,
): Promise<OpenedLock> => {
  const mode = config.registry.lock;
  if (mode === 'off') return { gate: undefined, lock: OFF };
  const store =
    location === 'memory' ? memoryStore() : await fileStore(location ?? { userDir }, runtime);
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
