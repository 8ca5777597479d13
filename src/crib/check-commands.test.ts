import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Logger } from '../contract/runtime.ts';
import { checkCommands } from './check-commands.ts';

type Commands = Parameters<typeof checkCommands>[0];

const warningsOf = async (commands: Partial<Commands>): Promise<readonly string[]> => {
  const warnings: string[] = [];
  const log = { warn: (message: string) => void warnings.push(message) } as unknown as Logger;
  await checkCommands({ allow: [], tasks: [], ...commands } as Commands, log);
  return warnings;
};

describe('the check of the configured commands', () => {
  it('warns of a task that names a path that is not there', async () => {
    const missing = join(tmpdir(), 'toolcrib-no-such-folder');
    const tasks = [{ run: 'npm test', read: [tmpdir()], write: [missing] }] as Commands['tasks'];
    expect(await warningsOf({ tasks })).toEqual([
      `commands.tasks: "npm test" names ${missing}, which is missing.`,
    ]);
  });

  it('warns of a pattern that allows nothing', async () => {
    const [warning] = await warningsOf({ allow: ['node *'] });
    expect(warning).toContain('commands.allow: "node *" allows nothing');
  });

  it('benign: says nothing of entries that can work', async () => {
    const tasks = [{ run: 'make', read: [tmpdir()] }] as Commands['tasks'];
    expect(await warningsOf({ allow: ['git status'], tasks })).toEqual([]);
  });
});
