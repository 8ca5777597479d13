/** Collects the files of a project for a deployment, without built, secret and private ones. */
import { createHash } from 'node:crypto';
import type { FileAccess } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';

export interface ProjectFile {
  /** Relative to the project, with forward slashes. */
  readonly file: string;
  readonly sha: string;
  readonly size: number;
  /** The path to read again for the upload. */
  readonly path: string;
}

const MAX_FILES = 5000;
const MAX_BYTES = 100_000_000;
const MAX_DEPTH = 40;

const LEFT_OUT: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  '.vercel',
  '.next',
  '.now',
  '.cache',
  '.toolcrib',
  '.DS_Store',
  '.npmrc',
  '.netrc',
  '.ssh',
  '.aws',
]);

const isLeftOut = (name: string): boolean => LEFT_OUT.has(name) || /^\.env(?:\.|$)/.test(name);

const tooMuch = (): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The project has too many or too large files to deploy.', {
    issues: [{ path: ['projectPath'], message: `At most ${MAX_FILES} files and 100 MB.` }],
  });

export const sha1 = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');

/**
 * Lists the files with their digests. Fails with VALIDATION_ERROR when there is nothing, or too much, to
 * deploy.
 */
export const collectFiles = async (
  project: string,
  { fs, signal }: { readonly fs: FileAccess; readonly signal: AbortSignal },
): Promise<readonly ProjectFile[]> => {
  const files: ProjectFile[] = [];
  let bytes = 0;
  const visit = async (folder: string, prefix: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) throw tooMuch();
    for (const { path, kind, size } of await fs.list(folder)) {
      if (signal.aborted) throw new ToolFailure('CANCELLED');
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (isLeftOut(name)) continue;
      if (kind === 'directory') await visit(path, `${prefix}${name}/`, depth + 1);
      if (kind !== 'file') continue;
      bytes += size;
      if (files.length === MAX_FILES || bytes > MAX_BYTES) throw tooMuch();
      const content = await fs.read(path);
      files.push({ file: `${prefix}${name}`, sha: sha1(content), size: content.length, path });
    }
  };
  await visit(project, '', 0);
  if (files.length > 0) return files;
  const message = 'There is no file to deploy.';
  throw new ToolFailure('VALIDATION_ERROR', message, {
    issues: [{ path: ['projectPath'], message }],
  });
};
