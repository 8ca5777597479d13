/** `write_file`: creates or replaces one file. */
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';

const input = () =>
  z.strictObject({
    path: z.string().min(1).describe('The file to write, relative to the workspace root.'),
    content: z.string().describe('The whole new content.'),
    encoding: z
      .enum(['utf8', 'utf-8', 'ascii', 'base64'])
      .default('utf8')
      .describe(
        'What the content is: text to be stored as UTF-8 or ASCII, or base64 of the bytes.',
      ),
    createDirs: z.boolean().default(true).describe('Make the directories that are missing.'),
    overwrite: z.boolean().default(true).describe('Replace the file if there is one.'),
  });

const output = () =>
  z.strictObject({
    path: z.string().describe('The file, relative to the workspace root.'),
    bytesWritten: z.int().describe('The size of the new content in bytes.'),
    created: z.boolean().describe('True when there was no such file before.'),
  });

const unfit = (message: string, suggestion: string) =>
  new ToolFailure('VALIDATION_ERROR', message, {
    suggestions: [suggestion],
    issues: [{ path: ['content'], message }],
  });

/**
 * Encodes the content. Throws for characters that the encoding does not have: nothing is altered
 * silently.
 */
const bytesOf = ({ content, encoding }: z.infer<ReturnType<typeof input>>): Uint8Array => {
  if (encoding === 'base64') {
    const bytes = Buffer.from(content, 'base64');
    const bare = content.replace(/\s/g, '').replace(/={1,2}$/, '');
    if (bytes.toString('base64').replace(/=+$/, '') === bare) return bytes;
    throw unfit('The content is no valid base64.', 'Encode the bytes again.');
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes the controls
  if (encoding === 'ascii' && !/^[\x00-\x7f]*$/.test(content)) {
    throw unfit('The content has characters that are not ASCII.', 'Use encoding utf8.');
  }
  return Buffer.from(content, 'utf8');
};

export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes one file of the workspace, whole and in one step. What was there before is kept and can be brought back by undo.',
  documentation:
    'A file that is there is replaced without a question, because what was in it can be brought back by undo; overwrite: false never replaces one. Why: docs/decisions/0024-write-file-replaces.md.',
  source: 'builtin',
  category: 'filesystem',
  tier: 'write',
  capabilities: [{ action: 'write', description: 'Create a file or replace its content.' }],
  permissions: ['tool:write_file'],
  needs: { paths: [{ path: '.', access: 'write' }] },
  aliases: ['file:write'],
  tags: ['file', 'write', 'create', 'save'],
  examples: [
    {
      title: 'Create a file together with its directory',
      input: { path: 'docs/hello.md', content: '# Hello\n' },
      output: { path: 'docs/hello.md', bytesWritten: 8, created: true },
    },
    {
      title: 'Write bytes',
      input: { path: 'pixel.bin', content: 'AAEC', encoding: 'base64' },
      output: { bytesWritten: 3 },
    },
  ],
  input,
  output,
  run: async (request, { fs }) => {
    const { path, createDirs, overwrite } = request;
    const receipt = await fs.write(path, bytesOf(request), { createDirs, overwrite });
    const shown = (await fs.stat(path))?.path ?? path;
    return { path: shown, bytesWritten: receipt.bytesWritten, created: receipt.created };
  },
});
