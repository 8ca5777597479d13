/** Branches whose names read like those of secrets are branches like others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';

let workspace: GitWorkspace;
let crib: Crib;

beforeAll(async () => {
  workspace = createGitWorkspace();
  crib = await createCrib({
    root: workspace.root,
    store: 'memory',
    config: { commands: { allow: ['git *', 'cut *'] } },
    approver: () => true,
    watch: false,
  });
});
afterAll(async () => {
  await crib.close();
  workspace.remove();
});

const run = async (tool: string, input: object) => {
  const { data, error } = await crib.execute(tool, input);
  return { code: error?.code, data: data as { exitCode?: number; stdout?: string } | undefined };
};

describe.skipIf(isMissing('bwrap'))('benign: a branch called like a secret', () => {
  it.each(['fix-token', 'add/secret', 'password-reset'])(
    '%s is looked at, compared and switched to',
    async (name) => {
      workspace.git('branch', name);
      for (const command of [`git log --oneline ${name}`, `git diff main...${name}`]) {
        const { code, data } = await run('bash_execution', { command });
        expect([command, code, data?.exitCode]).toEqual([command, undefined, 0]);
      }
      const beside = await run('bash_execution', {
        command: `git log --oneline ${name} | cut -c1-8`,
      });
      expect(beside.data?.stdout).toMatch(/^\w{7}/);
      for (const ref of [name, 'main']) {
        expect((await run('git', { operation: 'checkout', ref })).code).toBeUndefined();
      }
    },
    60_000,
  );
});
