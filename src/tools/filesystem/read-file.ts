/** `read_file`: the content of one file, whole or a range of lines. */
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { linesOf } from '../../kit/text/lines-of.ts';
import { assertText, textOf } from './text-content.ts';

const MIME_TYPES: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  js: 'text/javascript',
  mjs: 'text/javascript',
  cjs: 'text/javascript',
  jsx: 'text/javascript',
  ts: 'text/typescript',
  mts: 'text/typescript',
  cts: 'text/typescript',
  tsx: 'text/typescript',
  py: 'text/x-python',
  sh: 'text/x-shellscript',
  xml: 'application/xml',
  json: 'application/json',
  yml: 'application/yaml',
  yaml: 'application/yaml',
  toml: 'application/toml',
  pdf: 'application/pdf',
  zip: 'application/zip',
  gz: 'application/gzip',
  tar: 'application/x-tar',
  wasm: 'application/wasm',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  woff: 'font/woff',
  woff2: 'font/woff2',
};

/** Finds the MIME type by the extension; otherwise by whether the content is text. */
const mimeTypeOf = (path: string, isText: boolean): string => {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (Object.hasOwn(MIME_TYPES, ending)) return MIME_TYPES[ending] as string;
  return isText ? 'text/plain' : 'application/octet-stream';
};

const input = () =>
  z.strictObject({
    path: z.string().min(1).describe('The file to read, relative to the workspace root.'),
    encoding: z
      .enum(['utf8', 'base64'])
      .default('utf8')
      .describe('How the content is returned: utf8 for text, base64 for anything else.'),
    offset: z.int().min(1).optional().describe('The first line to return, counted from 1.'),
    limit: z.int().min(1).optional().describe('How many lines to return at most.'),
  });

const output = () =>
  z.strictObject({
    path: z.string().describe('The file, relative to the workspace root.'),
    content: z.string().describe('The content, or the lines asked for, exactly as stored.'),
    size: z.int().describe('The size of the whole file in bytes.'),
    mimeType: z.string().describe('The media type.'),
    encoding: z.enum(['utf8', 'base64']).describe('How the content is written.'),
    lines: z.int().optional().describe('How many lines the whole file has (utf8 only).'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const assertNoRange = ({ offset, limit }: Input): void => {
  if (offset === undefined && limit === undefined) return;
  throw new ToolFailure('VALIDATION_ERROR', 'Lines can be chosen with encoding utf8 only.', {
    suggestions: ['Leave offset and limit out.'],
  });
};

const textPart = (bytes: Uint8Array, { offset = 1, limit = Number.MAX_SAFE_INTEGER }: Input) => {
  const text = assertText(bytes, 'Read it with encoding "base64".');
  const lines = linesOf(text);
  const content = lines.slice(offset - 1, offset - 1 + limit).join('');
  return { content, lines: lines.length };
};

export const readFile = defineTool({
  name: 'read_file',
  description:
    'Reads one file of the workspace as text or base64. For a long file choose lines with offset and limit.',
  source: 'builtin',
  category: 'filesystem',
  tier: 'read_only',
  idempotent: true,
  capabilities: [{ action: 'read', description: 'Read the content of a file.' }],
  permissions: ['tool:read_file'],
  needs: { paths: [{ path: '.', access: 'read' }] },
  aliases: ['file:read'],
  tags: ['file', 'read', 'content'],
  examples: [
    {
      title: 'Read a text file',
      input: { path: 'notes.txt' },
      output: { content: 'one\ntwo\nthree\n', mimeType: 'text/plain', lines: 3 },
    },
    {
      title: 'Read the second line only',
      input: { path: 'notes.txt', offset: 2, limit: 1 },
      output: { content: 'two\n', lines: 3 },
    },
    {
      title: 'Read a binary file',
      input: { path: 'notes.txt', encoding: 'base64' },
      output: { content: 'b25lCnR3bwp0aHJlZQo=', encoding: 'base64', size: 14 },
    },
  ],
  input,
  output,
  run: async (request, { fs }): Promise<Output> => {
    const { path, encoding } = request;
    if (encoding === 'base64') assertNoRange(request);
    const bytes = await fs.read(path);
    const shown = (await fs.stat(path))?.path ?? path;
    const size = bytes.length;
    if (encoding === 'base64') {
      const mimeType = mimeTypeOf(path, textOf(bytes) !== undefined);
      return {
        path: shown,
        content: Buffer.from(bytes).toString('base64'),
        size,
        mimeType,
        encoding,
      };
    }
    return {
      path: shown,
      ...textPart(bytes, request),
      size,
      mimeType: mimeTypeOf(path, true),
      encoding,
    };
  },
});
