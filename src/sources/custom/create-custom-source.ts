/**
 * The source of a project's own tools: `*.yml` and `*.ts` in its folder. Only trusted files are read, all
 * code runs in a sandbox, and a bad file is reported and never stops the others.
 */
import { accessSync, watch } from 'node:fs';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { Source } from '../../contract/source.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Runner } from './build-tool.ts';
import { ComposedFiles } from './composed-file.ts';
import type { FileProblem } from './file-problem.ts';

export interface CustomSourceOptions extends Runner {
  /** Absolute; watched, never read. */
  readonly folder: string;
  /**
   * Gives the trusted files as they are now, by path below the folder with forward slashes. Rejects when
   * the folder is not trusted: the tools loaded before stay.
   */
  files(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** A folder of the user, never of the project: the cached code runs. */
  readonly cacheDir?: string;
  /** Called for every fault of every load. */
  report(problem: FileProblem): void;
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
  /** How long the folder must be quiet before a change is reported. */
  readonly quietMs?: number;
  /** How long a module may take to describe its tools. */
  readonly maxDescribeMs?: number;
}

export interface CustomSource extends Source {
  /** The faults of the last load. */
  readonly problems: readonly FileProblem[];
  /** The files of the last load that compose other tools. */
  readonly composed: ComposedFiles;
  /** Calls back after changes in the folder, until `close`; the caller then loads again. */
  watch(changed: () => void): () => void;
  close(): Promise<void>;
}

const QUIET_MS = 150;

/** Reads nothing before `load`; without tools no library is loaded. */
export const createCustomSource = (options: CustomSourceOptions): CustomSource => {
  const { folder, cacheDir, report, runtime, quietMs = QUIET_MS } = options;
  let problems: readonly FileProblem[] = [];
  const composed = new ComposedFiles();
  let watching: FolderWatch | undefined;
  const load = async (): Promise<readonly Tool[]> => {
    const files = await options.files();
    problems = [];
    if (files.size === 0) return composed.keep([], []);
    const [{ loadToolFiles }, { createCompileCache }] = await Promise.all([
      import('./load-tool-files.ts'),
      import('./compile-cache.ts'),
    ]);
    const cache = createCompileCache(cacheDir);
    const loaded = await loadToolFiles({ ...options, files, cache });
    problems = loaded.problems;
    for (const problem of problems) report(problem);
    return composed.keep(loaded.composed, loaded.tools);
  };
  const stop = (): void => {
    watching?.close();
    watching = undefined;
  };
  return {
    kind: 'custom',
    label: 'custom',
    load,
    get problems() {
      return problems;
    },
    composed,
    watch: (onChange) => {
      stop();
      watching = watchFolder(folder, { runtime, quietMs, onChange });
      return stop;
    },
    close: async () => stop(),
  };
};

interface FolderWatch {
  close(): void;
}

interface WatchOptions {
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
  readonly quietMs: number;
  onChange(): void;
}

/**
 * Reports changes in a folder, once for each burst: editors write a file in several steps. Does not keep
 * the process alive. A folder that is missing or removed is logged.
 */
const watchFolder = (folder: string, { runtime, quietMs, onChange }: WatchOptions): FolderWatch => {
  let timer: Timer | undefined;
  const changed = (): void => {
    timer?.cancel();
    timer = runtime.after(quietMs, onChange);
    timer.keepAlive(false);
  };
  const lost = (error: NodeJS.ErrnoException): void =>
    runtime.log.warn('custom tools are not watched for changes', { folder, code: error.code });
  try {
    // Node 24 watches a missing folder without an error, and never reports that it has come.
    accessSync(folder);
    const watcher = watch(folder, { recursive: true, persistent: false }, changed);
    watcher.on('error', lost);
    return {
      close: () => {
        timer?.cancel();
        watcher.close();
      },
    };
  } catch (error) {
    lost(error as NodeJS.ErrnoException);
    return { close: () => undefined };
  }
};
