/** Tells of changes in a folder, once for a burst of them: editors write a file in several steps. */
import { watch } from 'node:fs';
import type { Runtime, Timer } from '../../contract/runtime.ts';

export interface FolderWatch {
  close(): void;
}

export interface WatchOptions {
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
  readonly quietMs: number;
  onChange(): void;
}

/** Does not keep the process alive. A folder that is not there, or goes away, is logged. */
export const watchFolder = (
  folder: string,
  { runtime, quietMs, onChange }: WatchOptions,
): FolderWatch => {
  let timer: Timer | undefined;
  const changed = (): void => {
    timer?.cancel();
    timer = runtime.after(quietMs, onChange);
    timer.keepAlive(false);
  };
  const lost = (error: NodeJS.ErrnoException): void =>
    runtime.log.warn('custom tools are not watched for changes', { folder, code: error.code });
  try {
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
