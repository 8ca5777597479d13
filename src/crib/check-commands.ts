/** Warns at the start of entries of `commands` that can never work. */
import type { Config } from '../config/schema.ts';
import type { Logger } from '../contract/runtime.ts';
import { isMissing } from '../kit/file/is-missing.ts';

const checkPatterns = async (allow: readonly string[], log: Logger): Promise<void> => {
  if (allow.length === 0) return;
  const { neverWorks } = await import('../governance/commands/allow-pattern.ts');
  for (const pattern of allow) {
    const why = neverWorks(pattern);
    if (why !== undefined) log.warn(`commands.allow: "${pattern}" allows nothing: ${why}.`);
  }
};

/**
 * Warns of patterns that allow nothing, and of tasks whose paths are missing. Such a task is
 * refused when it is run.
 */
export const checkCommands = async (
  { allow, tasks }: Config['commands'],
  log: Logger,
): Promise<void> => {
  await checkPatterns(allow, log);
  for (const { run, read = [], write = [] } of tasks) {
    for (const path of [...read, ...write]) {
      if (await isMissing(path))
        log.warn(`commands.tasks: "${run}" names ${path}, which is missing.`);
    }
  }
};
