/** `git_commit`: makes one commit of the named files, or of what is staged. */
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { oneLine } from '../one-line.ts';
import { commitFiles } from './commit-files.ts';
import { commitMessage, GIT_NEEDS, paths } from './git-fields.ts';

const input = () =>
  z.strictObject({
    message: commitMessage().describe('What was done and why; the first line is the subject.'),
    files: paths().optional().describe('Only these files; what is staged when absent.'),
    projectPath: oneLine(1_000)
      .default('.')
      .describe('The top of the repository: the workspace root.'),
  });

const output = () =>
  z.strictObject({
    commitHash: z.string().describe('The new commit.'),
    filesChanged: z.int().describe('How many files it changes.'),
    insertions: z.int().describe('Lines added.'),
    deletions: z.int().describe('Lines taken away.'),
  });

export const gitCommit = defineTool({
  name: 'git_commit',
  description:
    'Makes one git commit in the repository of the workspace, of the files named or of what is staged. Hooks do not run.',
  source: 'builtin',
  category: 'development',
  tier: 'write',
  capabilities: [
    { action: 'commit', description: 'Make a commit.', requiresConfirmation: true, tier: 'write' },
  ],
  permissions: ['tool:git_commit'],
  cost: { model: 'free' },
  timeoutMs: 60_000,
  needs: GIT_NEEDS,
  sandbox: { type: 'process' },
  sandboxed: true,
  aliases: ['git:commit'],
  tags: ['git', 'commit', 'version control'],
  examples: [
    {
      title: 'Commit one file',
      input: { message: 'Add a second note', files: ['notes.txt'] },
      output: { filesChanged: 1, insertions: 1, deletions: 0 },
    },
  ],
  input,
  output,
  run: async ({ message, files, projectPath }, context) => {
    const { fs } = context;
    // A folder below the workspace can be another repository, whose configuration is not checked.
    if ((await fs.resolve(projectPath, 'read')) !== (await fs.resolve('.', 'read'))) {
      throw new ToolFailure('VALIDATION_ERROR', 'Only the repository of the workspace is used.', {
        issues: [{ path: ['projectPath'], message: 'It must be the workspace root.' }],
        suggestions: ['Leave projectPath out.'],
      });
    }
    return commitFiles({ message, ...(files && { files }) }, context);
  },
});
