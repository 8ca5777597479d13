/**
 * The lock of tools from outside: the files that hold what was accepted, and the gate that asks them.
 * What judges is loaded when something comes from outside, which for many cribs is never.
 */
import { visibleItem, visibleJson, visibleLines } from './approvers/terminal/visible-text.ts';
import { ConfigError } from './config/config-error.ts';
import {
  type LockFile,
  type LockFiles,
  type LockPlace,
  readLockFiles,
  writeProjectLock,
  writeUserLock,
} from './config/lock-file.ts';
import type { Config } from './config/schema.ts';
import { ToolFailure } from './contract/errors.ts';
import type { LockEntry, ToolLock } from './contract/lock.ts';
import type { Runtime } from './contract/runtime.ts';
import type { JudgingLock, LockMode } from './registry/lock/create-tool-lock.ts';
import { type Gate, NOT_JUDGED } from './registry/lock/gate.ts';
import type { LockStore } from './registry/lock/lock-store.ts';
import { formatLock, parseLock } from './registry/lock/lock-text.ts';
import type { Visible } from './registry/lock/visible.ts';
import type { Shelf } from './registry/shelf.ts';

export interface LockChoices {
  /**
   * Where accepted tools are kept: files, or `memory` for as long as the crib lives. By default
   * the user's own file; a project's counts only where its trust is handed over.
   */
  readonly lock?: LockPlace | 'memory';
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

/** A project's lock is written where there is one to write, and the user's elsewhere. */
const write = async (
  place: LockPlace,
  { before, after, log }: { before: LockFiles; after: string; log: Runtime['log'] },
  now: number,
): Promise<void> => {
  const { userDir, project } = place;
  if (!before.project || !project) {
    return writeUserLock(userDir, { before: before.user.text, after, now });
  }
  const edit = { before: before.project.text, after, now };
  const kept = await writeProjectLock({ ...project, userDir }, edit);
  if (!kept) log.warn(NOT_KEPT, { next: 'toolcrib trust' });
};

/** Throws `ConfigError` for a file that is broken. */
const fileStore = async (place: LockPlace, runtime: Runtime): Promise<LockStore> => {
  let files = await readLockFiles(place);
  let user = linesIn(files.user);
  let project = linesIn(files.project);
  let all = [...user, ...project];
  const own = (): readonly LockEntry[] => (files.project ? project : user);
  return {
    entries: () => all,
    own,
    async change(edit) {
      const lines = edit(own());
      const after = formatLock(lines, VISIBLE);
      await write(place, { before: files, after, log: runtime.log }, runtime.now());
      if (files.project) {
        project = lines;
        files = { ...files, project: { ...files.project, text: after } };
      } else {
        user = lines;
        files = { ...files, user: { ...files.user, text: after } };
      }
      all = [...user, ...project];
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

/** The part that judges, made once it is loaded and there is a shelf to judge. */
const lazyJudging = async (parts: Lazily) => {
  const load = async () => (await import('./registry/lock/create-tool-lock.ts')).createToolLock;
  let create = parts.store.entries().length > 0 ? await load() : undefined;
  let shelf: Shelf | undefined;
  let made: JudgingLock | undefined;
  return {
    guard: (guarded: Shelf): void => {
      shelf = guarded;
    },
    prepare: async (): Promise<void> => {
      create ??= await load();
    },
    get(): JudgingLock | undefined {
      if (shelf && create) made ??= create({ ...parts, shelf, visible: VISIBLE });
      return made;
    },
  };
};

export interface LockSite {
  readonly config: Pick<Config, 'registry'>;
  readonly runtime: Runtime;
  /** The user's configuration folder. */
  readonly userDir: string;
}

/** Throws `ConfigError` when a file of the lock is broken, with its line. */
export const openToolLock = async (
  { lock: where }: LockChoices,
  { config, runtime, userDir }: LockSite,
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
      welcome: async () => judging.get()?.welcome(),
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
