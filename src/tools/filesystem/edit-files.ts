/** `edit_files`: exact replacements in several files, all of them or none. */
import { z } from 'zod';
import type { FileAccess, ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { TextDiff } from '../../kit/text/unified-diff.ts';
import { runDataWork } from '../../kit/work/data-work.ts';
import { invalidEdit } from './apply-edits.ts';
import type { EditedText, EditJob } from './edit-text-work.ts';
import { assertText } from './text-content.ts';

const edit = () =>
  z.strictObject({
    oldText: z.string().min(1).describe('The text to replace, exactly as it is in the file.'),
    newText: z.string().describe('The text to put in its place.'),
    occurrence: z
      .enum(['unique', 'all'])
      .default('unique')
      .describe('unique: oldText must occur once. all: every occurrence is replaced.'),
  });

const fileEdit = () =>
  z.strictObject({
    path: z.string().min(1).describe('The file to edit, relative to the workspace root.'),
    edits: z.array(edit()).min(1).max(200).describe('The replacements, applied in this order.'),
  });

const input = () =>
  z.strictObject({
    files: z.array(fileEdit()).min(1).max(100).describe('The files to edit, each named once.'),
    validateChanges: z
      .boolean()
      .default(true)
      .describe('Refuse edits that change nothing, or that break a JSON or YAML file.'),
    preview: z.boolean().default(false).describe('Only show the differences and write nothing.'),
  });

const output = () =>
  z.strictObject({
    files: z
      .array(
        z.strictObject({
          path: z.string().describe('The file, relative to the workspace root.'),
          diff: z.string().describe('The change as a unified diff.'),
          additions: z.int().describe('Lines added.'),
          deletions: z.int().describe('Lines taken out.'),
          replacements: z.int().describe('Occurrences replaced.'),
        }),
      )
      .describe('What changed, file by file.'),
    written: z.boolean().describe('False for a preview.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type FileEdit = Input['files'][number];

interface Change extends Omit<TextDiff, 'hunks'> {
  /** Empty when the edits change nothing. */
  readonly diff: string;
  readonly path: string;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly replacements: number;
}

const assertEachOnce = async (files: readonly FileEdit[], fs: FileAccess): Promise<void> => {
  const paths = new Set<string>();
  for (const [index, { path }] of files.entries()) {
    const absolute = await fs.resolve(path, 'write');
    if (paths.has(absolute)) {
      throw invalidEdit(index, 'The file is named twice.', 'Put all edits of a file in one entry.');
    }
    paths.add(absolute);
  }
};

const MAX_INLINE_CHARS = 20_000;

const WORK = {
  what: 'file',
  file: 'edit-text-work',
  from: import.meta.url,
  load: () => import('./edit-text-work.ts'),
  isSmall: ({ old, edits }: EditJob) =>
    edits.reduce((sum, { newText }) => sum + newText.length, old.length) <= MAX_INLINE_CHARS,
};

const planOne = async (
  request: Input,
  index: number,
  { fs, signal }: Pick<ToolContext, 'fs' | 'signal'>,
): Promise<Change> => {
  const { path, edits } = request.files[index] as FileEdit;
  const before = await fs.read(path);
  const shown = (await fs.stat(path))?.path ?? path;
  const old = assertText(before, 'Use write_file with base64 for binary files.');
  const job = { path, old, edits, index, validate: request.validateChanges };
  const { text, hunks, ...counts } = await runDataWork<EditJob, EditedText>(WORK, job, signal);
  const after = Buffer.from(text, 'utf8');
  const diff = hunks === '' ? '' : `--- a/${shown}\n+++ b/${shown}\n${hunks}`;
  return { path: shown, before, after, diff, ...counts };
};

/** Writes a file, if it has not changed since it was read. */
const writeOne = async ({ path, before, after }: Change, fs: FileAccess): Promise<void> => {
  if (Buffer.compare(await fs.read(path), before) !== 0) {
    throw new ToolFailure('CONFLICT', 'Another program changed a file meanwhile.', {
      suggestions: ['Read the files again before you edit them.'],
    });
  }
  await fs.write(path, after);
};

const takeBack = async (written: readonly Change[], fs: FileAccess): Promise<void> => {
  for (const { path, before } of [...written].reverse()) await fs.write(path, before);
};

const writeAll = async (changes: readonly Change[], fs: FileAccess): Promise<void> => {
  for (const [index, change] of changes.entries()) {
    try {
      await writeOne(change, fs);
    } catch (error) {
      try {
        await takeBack(changes.slice(0, index), fs);
      } catch {
        throw new ToolFailure(
          'EXECUTION_FAILED',
          `files[${index}] could not be written, nor could those before it be taken back.`,
          { suggestions: ['Undo this call to restore the files from their snapshots.'] },
        );
      }
      throw error;
    }
  }
};

export const editFiles = defineTool({
  name: 'edit_files',
  description:
    'Replaces exact pieces of text in one or more files, all or none, and returns the differences. What was there before can be brought back by undo.',
  source: 'builtin',
  category: 'filesystem',
  tier: 'write',
  capabilities: [{ action: 'edit', description: 'Replace pieces of text in files.' }],
  permissions: ['tool:edit_files'],
  needs: { paths: [{ path: '.', access: 'write' }] },
  aliases: ['file:edit'],
  tags: ['file', 'edit', 'replace', 'patch', 'diff'],
  examples: [
    {
      title: 'Look at a change before making it',
      input: {
        files: [{ path: 'notes.txt', edits: [{ oldText: 'two', newText: 'zwei' }] }],
        preview: true,
      },
      output: { written: false, files: [{ path: 'notes.txt', additions: 1, deletions: 1 }] },
    },
    {
      title: 'Replace every occurrence',
      input: {
        files: [{ path: 'notes.txt', edits: [{ oldText: 'e', newText: 'E', occurrence: 'all' }] }],
      },
      output: { written: true, files: [{ replacements: 3 }] },
    },
  ],
  input,
  output,
  run: async (request, context) => {
    const { fs } = context;
    await assertEachOnce(request.files, fs);
    const changes: Change[] = [];
    for (const index of request.files.keys()) changes.push(await planOne(request, index, context));
    if (!request.preview) await writeAll(changes, fs);
    return {
      files: changes.map(({ path, diff, additions, deletions, replacements }) => ({
        path,
        diff,
        additions,
        deletions,
        replacements,
      })),
      written: !request.preview,
    };
  },
});
