/** `file_operations`: the everyday operations on one path in one tool. */
import { z } from 'zod';
import type { FileAccess, ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { compileLinear } from '../../kit/text/linear-pattern.ts';
import { copyFolder, moveFolder } from './copy-folder.ts';
import { assertText } from './text-content.ts';

const OPERATIONS = [
  ...(['read', 'write', 'edit', 'list', 'delete', 'exists'] as const),
  ...(['mkdir', 'copy', 'move'] as const),
] as const;
type Operation = (typeof OPERATIONS)[number];

const fields = () =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('What to do with the path.'),
    path: z.string().min(1).describe('A file or directory, relative to the workspace root.'),
    content: z.string().optional().describe('write: the whole new content, as text.'),
    pattern: z.string().min(1).optional().describe('edit: the text to look for.'),
    replacement: z.string().optional().describe('edit: what to put in place of every occurrence.'),
    newPath: z
      .string()
      .min(1)
      .optional()
      .describe('copy, move: the new name of the file or folder; nothing may be there.'),
    regex: z
      .boolean()
      .default(false)
      .describe('edit: take pattern as a regular expression (RE2); $1 stands for a group.'),
    backup: z
      .boolean()
      .default(true)
      .describe('Confirm in the result that undo can bring the former content back.'),
  });

type Input = z.infer<ReturnType<typeof fields>>;

const REQUIRED: Readonly<Partial<Record<Operation, readonly (keyof Input)[]>>> = {
  write: ['content'],
  edit: ['pattern', 'replacement'],
  copy: ['newPath'],
  move: ['newPath'],
};

const input = () =>
  fields().superRefine((value, context) => {
    for (const field of REQUIRED[value.operation] ?? []) {
      if (value[field] !== undefined) continue;
      const message = `The operation ${value.operation} needs ${field}.`;
      context.addIssue({ code: 'custom', path: [field], message });
    }
  });

const entry = () =>
  z.strictObject({
    path: z.string().describe('The entry, relative to the workspace root.'),
    kind: z.enum(['file', 'directory', 'other']).describe('What it is.'),
    size: z.int().describe('Its size in bytes.'),
  });

const output = () =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('What was done.'),
    path: z.string().describe('The path, relative to the workspace root.'),
    content: z.string().optional().describe('read: the text of the file.'),
    entries: z.array(entry()).optional().describe('list: what the directory holds.'),
    exists: z.boolean().optional().describe('exists: whether something is there.'),
    kind: entry().shape.kind.optional().describe('exists: what is there.'),
    newPath: z.string().optional().describe('copy, move: the new name.'),
    bytesWritten: z.int().optional().describe('write, edit, copy, move: the size of the content.'),
    files: z.int().optional().describe('copy, move of a folder: how many files it holds.'),
    created: z.boolean().optional().describe('write: true when there was no such file before.'),
    replacements: z.int().optional().describe('edit: how many occurrences were replaced.'),
    backup: z.boolean().optional().describe('The former content is kept; undo brings it back.'),
  });

type Output = z.infer<ReturnType<typeof output>>;
type Outcome = Omit<Output, 'operation' | 'path'>;
type Step = (request: Input, context: ToolContext) => Promise<Outcome>;

const replaceIn = async (text: string, request: Input) => {
  const { pattern = '', replacement = '', regex } = request;
  if (regex) {
    return (await compileLinear(pattern, { multiline: true })).replaceAll(text, replacement);
  }
  const pieces = text.split(pattern);
  return { text: pieces.join(replacement), count: pieces.length - 1 };
};

const edit: Step = async (request, { fs }) => {
  const bytes = await fs.read(request.path);
  const text = assertText(bytes, 'Use write_file with base64 for binary files.');
  const changed = await replaceIn(text, request);
  if (changed.count === 0) {
    throw new ToolFailure('CONFLICT', 'The pattern is not in the file.', {
      suggestions: ['Read the file first and quote the text exactly.'],
    });
  }
  const { bytesWritten } = await fs.write(request.path, changed.text);
  return { bytesWritten, replacements: changed.count };
};

/** Copies a file to an unused path. An executable file stays executable. */
const copyFile = async ({ path, newPath = '' }: Input, fs: FileAccess): Promise<Outcome> => {
  const bytes = await fs.read(path);
  const executable = (await fs.stat(path))?.executable === true;
  const options = { createDirs: true, overwrite: false, executable };
  const { bytesWritten } = await fs.write(newPath, bytes, options);
  return { bytesWritten, newPath };
};

const isFolder = async (path: string, fs: FileAccess): Promise<boolean> =>
  (await fs.stat(path))?.kind === 'directory';

const copy: Step = async (request, context) => {
  const { path, newPath = '' } = request;
  return (await isFolder(path, context.fs))
    ? copyFolder({ path, newPath }, context)
    : copyFile(request, context.fs);
};

const move: Step = async (request, context) => {
  const { fs } = context;
  const { path, newPath = '' } = request;
  if (await isFolder(path, fs)) return moveFolder({ path, newPath }, context);
  // Checked first: when the old path cannot be removed, the move would leave a copy.
  await fs.resolve(path, 'write');
  const outcome = await copyFile(request, fs);
  await fs.remove(path);
  return outcome;
};

const STEPS: Readonly<Record<Operation, Step>> = {
  read: async ({ path }, { fs }) => ({
    content: assertText(await fs.read(path), 'Use read_file with encoding "base64".'),
  }),
  write: async ({ path, content = '' }, { fs }) => {
    const { bytesWritten, created } = await fs.write(path, content, { createDirs: true });
    return { bytesWritten, created };
  },
  edit,
  list: async ({ path }, { fs }) => ({
    entries: (await fs.list(path)).map((info) => ({
      path: info.path,
      kind: info.kind,
      size: info.size,
    })),
  }),
  delete: async ({ path }, { fs }) => {
    await fs.remove(path);
    return {};
  },
  copy,
  move,
  mkdir: async ({ path }, { fs }) => {
    await fs.makeDirectory(path);
    return {};
  },
  exists: async ({ path }, { fs }) => {
    const info = await fs.stat(path);
    return info ? { exists: true, kind: info.kind } : { exists: false };
  },
};

const CHANGES: ReadonlySet<Operation> = new Set([
  'write',
  'edit',
  'delete',
  'mkdir',
  'copy',
  'move',
]);

export const fileOperations = defineTool({
  name: 'file_operations',
  description:
    'Reads, writes, edits, copies, moves, deletes or looks for one file, and lists, makes, copies or moves a directory of the workspace. Changes keep what was there before, so that undo can bring it back.',
  source: 'builtin',
  category: 'filesystem',
  tier: 'write',
  actionField: 'operation',
  capabilities: [
    { action: 'read', description: 'Read a text file.', tier: 'read_only' },
    { action: 'list', description: 'List a directory.', tier: 'read_only' },
    { action: 'exists', description: 'See whether a path exists.', tier: 'read_only' },
    { action: 'write', description: 'Create a file or replace its content.', tier: 'write' },
    { action: 'edit', description: 'Replace text in a file.', tier: 'write' },
    { action: 'mkdir', description: 'Make a directory.', tier: 'write' },
    { action: 'copy', description: 'Copy a file or directory to a new name.', tier: 'write' },
    {
      action: 'move',
      description: 'Move a file or directory to a new name.',
      tier: 'write',
      destructive: true,
      requiresConfirmation: true,
    },
    {
      action: 'delete',
      description: 'Delete a file or an empty directory.',
      tier: 'write',
      destructive: true,
      requiresConfirmation: true,
    },
  ],
  permissions: ['tool:file_operations'],
  needs: { paths: [{ path: '.', access: 'write' }] },
  aliases: ['file:operations'],
  tags: ['file', 'directory', 'read', 'write', 'edit', 'list', 'delete', 'exists', 'copy', 'move'],
  examples: [
    {
      title: 'List the workspace',
      input: { operation: 'list', path: '.' },
      output: { operation: 'list', path: '.', entries: [{ path: 'notes.txt', kind: 'file' }] },
    },
    {
      title: 'Swap words with a regular expression',
      input: {
        operation: 'edit',
        path: 'notes.txt',
        pattern: '^(\\w+)\\n(\\w+)$',
        replacement: '$2\n$1',
        regex: true,
      },
      output: { operation: 'edit', path: 'notes.txt', replacements: 1, backup: true },
    },
    {
      title: 'See whether a file exists',
      input: { operation: 'exists', path: 'missing.txt' },
      output: { exists: false },
    },
  ],
  input,
  output,
  run: async (request, context) => {
    const { fs } = context;
    const { operation, path } = request;
    // Read before, because a deleted path has no information any more.
    const before = await fs.stat(path);
    const outcome = await STEPS[operation](request, context);
    const shown = (before ?? (await fs.stat(path)))?.path ?? path;
    const backup = request.backup && CHANGES.has(operation) ? { backup: true } : {};
    return { operation, path: shown, ...outcome, ...backup };
  },
});
