/**
 * The files that are sent to a build: those of one folder of the workspace, read through the broker, so
 * that links and secret files stay out whatever the Dockerfile says.
 */
import type { FileAccess, FileInfo, ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ArchiveEntry } from '../../kit/archive/write-tar.ts';
import { type DockerIgnore, dockerIgnore } from './docker-ignore.ts';

export interface BuildContext {
  readonly entries: readonly ArchiveEntry[];
  readonly files: number;
  readonly bytes: number;
}

const MAX_FILES = 20_000;
const MAX_BYTES = 200_000_000;
const MAX_DEPTH = 60;
const MAX_IGNORE_BYTES = 65_536;

/** Never sent: the history may hold credentials of remotes, and `.toolcrib` belongs to Toolcrib. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', '.toolcrib']);

const tooMuch = () =>
  new ToolFailure('VALIDATION_ERROR', 'The build context is too large.', {
    issues: [{ path: ['context'], message: `At most ${MAX_FILES} files and 200 MB.` }],
    suggestions: ['Name a smaller folder, or list what is not needed in a .dockerignore.'],
  });

const missing = (field: string, message: string) =>
  new ToolFailure('VALIDATION_ERROR', message, { issues: [{ path: [field], message }] });

const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

const ignoreOf = async (fs: FileAccess, folder: string): Promise<DockerIgnore> => {
  const path = join(folder, '.dockerignore');
  const info = await fs.stat(path);
  if (info?.kind !== 'file') return dockerIgnore('');
  const bytes = await fs.read(path, { maxBytes: MAX_IGNORE_BYTES });
  return dockerIgnore(new TextDecoder().decode(bytes));
};

class Collection {
  readonly entries: ArchiveEntry[] = [];
  files = 0;
  bytes = 0;
  readonly #context: ToolContext;
  readonly #ignore: DockerIgnore;
  readonly #dockerfile: string;

  constructor(context: ToolContext, ignore: DockerIgnore, dockerfile: string) {
    this.#context = context;
    this.#ignore = ignore;
    this.#dockerfile = dockerfile;
  }

  /** Walks a folder. `inside` is its name in the archive with a trailing slash, or empty. */
  async visit(folder: string, inside: string, depth = 0): Promise<void> {
    if (depth > MAX_DEPTH) throw tooMuch();
    for (const info of await this.#context.fs.list(folder)) {
      if (this.#context.signal.aborted) throw new ToolFailure('CANCELLED');
      const name = info.path.slice(info.path.lastIndexOf('/') + 1);
      if (LEFT_OUT.has(name)) continue;
      const path = inside + name;
      const isOut = this.#ignore.leavesOut(path);
      if (info.kind === 'file' && (!isOut || path === this.#dockerfile)) this.#add(path, info);
      if (info.kind === 'directory') await this.#enter(info, path, { isOut, depth });
    }
  }

  async #enter(
    info: FileInfo,
    path: string,
    { isOut, depth }: { readonly isOut: boolean; readonly depth: number },
  ): Promise<void> {
    const holdsDockerfile = this.#dockerfile.startsWith(`${path}/`);
    if (isOut && !this.#ignore.takesBack && !holdsDockerfile) return;
    if (!isOut) this.entries.push({ path: `${path}/`, read: async () => new Uint8Array() });
    await this.visit(info.path, `${path}/`, depth + 1);
  }

  #add(path: string, { path: source, size }: FileInfo): void {
    this.files += 1;
    this.bytes += size;
    if (this.files > MAX_FILES || this.bytes > MAX_BYTES) throw tooMuch();
    // No more than the measured size, so that a file that has grown since cannot enlarge the archive.
    const read = () => this.#context.fs.read(source, { maxBytes: Math.max(1, size) });
    this.entries.push({ path, read });
  }
}

/**
 * Collects the files of a build. Fails with VALIDATION_ERROR when the folder or Dockerfile is missing, or
 * there is too much to send.
 */
export const dockerContext = async (
  { folder, dockerfile }: { readonly folder: string; readonly dockerfile: string },
  context: ToolContext,
): Promise<BuildContext> => {
  const info = await context.fs.stat(folder);
  if (info?.kind !== 'directory') {
    throw missing('context', 'There is no such folder in the workspace.');
  }
  const root = info.path === '.' ? '' : info.path;
  const collection = new Collection(context, await ignoreOf(context.fs, root), dockerfile);
  await collection.visit(folder, '');
  if (!collection.entries.some(({ path }) => path === dockerfile)) {
    throw missing('dockerfile', 'There is no such Dockerfile in the context.');
  }
  return collection;
};
