/** Threat: a branch that an agent merges brings settings of the tools themselves. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let workspace: GitWorkspace;
let crib: Crib;

beforeEach(async () => {
  workspace = createGitWorkspace();
  const root = workspace.root;
  crib = await createCrib({ root, store: 'memory', approver: () => true, watch: false });
});
afterEach(async () => {
  await crib.close();
  workspace.remove();
});

const merge = async (ref: string) => (await crib.execute('git', { operation: 'merge', ref })).error;

describe.skipIf(isMissing('bwrap'))('a branch that brings settings of the tools themselves', () => {
  const branchWith = (path: string): string => {
    workspace.git('checkout', '-q', '-f', '-b', 'other');
    mkdirSync(dirname(join(workspace.root, path)), { recursive: true });
    writeFileSync(join(workspace.root, path), 'approvals: {}\n');
    workspace.git('add', '-A', '-f');
    workspace.git('commit', '-qm', 'Bring a file');
    workspace.git('checkout', '-q', 'main');
    return workspace.git('rev-parse', 'HEAD');
  };

  it('is refused before anything is merged, with what to do', async () => {
    const head = branchWith('.toolcrib/config.yml');
    const error = await merge('other');
    expect([error?.code, error?.message]).toEqual([
      'PERMISSION_DENIED',
      'The branch changes files in .toolcrib.',
    ]);
    expect(error?.suggestions.join()).toContain('Have a person read it');
    expect(workspace.git('rev-parse', 'HEAD')).toBe(head);
    expect(existsSync(join(workspace.root, '.toolcrib/config.yml'))).toBe(false);
  });

  it('benign: a branch with other files is merged', async () => {
    branchWith('docs/.toolcrib.md');
    expect(await merge('other')).toBeUndefined();
    expect(existsSync(join(workspace.root, 'docs/.toolcrib.md'))).toBe(true);
  });
});
