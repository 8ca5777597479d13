/** Serves the files of the console. The folder is read once; only its files can be requested. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { CONSOLE_POLICY } from '../../door/security-headers.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

interface StaticFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

export type StaticFiles = (request: Request) => Promise<Response | undefined>;

const readFolder = async (folder: string): Promise<ReadonlyMap<string, StaticFile>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter(
    (entry) => entry.isFile() && Object.hasOwn(TYPES, extname(entry.name)),
  );
  const read = files.map(async ({ parentPath, name }): Promise<[string, StaticFile]> => {
    const path = join(parentPath, name);
    const bytes = new Uint8Array(await readFile(path));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const type = TYPES[extname(name)] ?? '';
    return [`/${relative(folder, path).split(sep).join('/')}`, { bytes, type, etag }];
  });
  return new Map(await Promise.all(read));
};

const wantsPage = (request: Request, path: string): boolean =>
  extname(path) === '' && (request.headers.get('accept') ?? '').includes('text/html');

const answer = (request: Request, path: string, { bytes, type, etag }: StaticFile): Response => {
  const headers = {
    'content-type': type,
    'content-security-policy': CONSOLE_POLICY,
    // Files below assets carry the hash of their content in their name.
    'cache-control': path.startsWith('/assets/')
      ? 'public, max-age=31536000, immutable'
      : 'no-cache',
    etag,
  };
  if (request.headers.get('if-none-match') === etag)
    return new Response(null, { status: 304, headers });
  return new Response(bytes, { headers });
};

/** Answers with a file, or with the page of the console for a path of its own; nothing for others. */
export const createStaticFiles = (folder: string): StaticFiles => {
  let reading: Promise<ReadonlyMap<string, StaticFile>> | undefined;
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    reading ??= readFolder(folder).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    const files = await reading;
    const { pathname } = new URL(request.url);
    const path = pathname === '/' ? '/index.html' : pathname;
    const file = files.get(path);
    if (file) return answer(request, path, file);
    const page = wantsPage(request, path) ? files.get('/index.html') : undefined;
    return page && answer(request, '/index.html', page);
  };
};
