/**
 * The source over a project's own tools: `*.yml` and `*.ts` in its folder. Only what was trusted is
 * looked at, all code runs in a sandbox, and a bad file is reported and never stops the others.
 */
import type { Runtime } from '../../contract/runtime.ts';
import type { Source } from '../../contract/source.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Runner } from './build-tool.ts';
import type { FileProblem } from './file-problem.ts';
import { type FolderWatch, watchFolder } from './watch-folder.ts';

export interface CustomSourceOptions extends Runner {
  /** Absolute; it is watched, and never read. */
  readonly folder: string;
  /**
   * What was trusted, by path below the folder with forward slashes, as it is now. Rejects when the
   * folder is not trusted: the tools loaded before then stay what they are.
   */
  files(): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Of the user and never of the project: what is kept here is what runs. */
  readonly cacheDir?: string;
  /** Told of every fault of every load. */
  report(problem: FileProblem): void;
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
  /** How long a change must rest before it is told of. */
  readonly quietMs?: number;
}

export interface CustomSource extends Source {
  /** What was wrong at the last load. */
  readonly problems: readonly FileProblem[];
  /** Calls back after changes in the folder, until `close`; the caller then loads again. */
  watch(changed: () => void): () => void;
  close(): Promise<void>;
}

const QUIET_MS = 150;

/** Reads nothing before `load`; a folder without tools costs no library. */
export const createCustomSource = (options: CustomSourceOptions): CustomSource => {
  const { folder, cacheDir, report, runtime, quietMs = QUIET_MS } = options;
  let problems: readonly FileProblem[] = [];
  let watching: FolderWatch | undefined;
  const load = async (): Promise<readonly Tool[]> => {
    const files = await options.files();
    problems = [];
    if (files.size === 0) return [];
    const [{ loadToolFiles }, { createCompileCache }] = await Promise.all([
      import('./load-tool-files.ts'),
      import('./compile-cache.ts'),
    ]);
    const cache = createCompileCache(cacheDir);
    const loaded = await loadToolFiles({ ...options, files, cache });
    problems = loaded.problems;
    for (const problem of problems) report(problem);
    return loaded.tools;
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
    watch: (onChange) => {
      stop();
      watching = watchFolder(folder, { runtime, quietMs, onChange });
      return stop;
    },
    close: async () => stop(),
  };
};
