/**
 * The files of a project for the compiler, in the process that checks types: what is below the root,
 * asked for one by one, and the declarations of the compiler. It is sent there as text, so its functions
 * use only each other and their arguments.
 */
import type { Ask, CheckJob, Workbench } from './check-job.ts';
import type { Compiler } from './load-compiler.ts';

interface Files {
  kindOf(path: string): string | undefined;
  entriesOf(folder: string): ReadonlyMap<string, string>;
  read(path: string): string | undefined;
  realpath(path: string): string;
  libFile(path: string): boolean;
}

const openFiles = ({ compiler, libFolder }: Workbench, job: CheckJob, ask: Ask): Files => {
  const listings = new Map<string, ReadonlyMap<string, string>>();
  const isInside = (path: string) => path === job.root || path.startsWith(`${job.root}/`);
  const libFile = (path: string) =>
    path.startsWith(`${libFolder}/`) && /^lib\.[\w.]*d\.ts$/.test(path.slice(libFolder.length + 1));
  const entriesOf = (folder: string): ReadonlyMap<string, string> => {
    const cached = listings.get(folder);
    if (cached) return cached;
    const answer = isInside(folder) && kindOf(folder) === 'directory' ? ask('list', folder) : [];
    const listing = new Map<string, string>(typeof answer === 'object' ? answer : []);
    listings.set(folder, listing);
    return listing;
  };
  const kindOf = (path: string): string | undefined => {
    if (path === job.root) return 'directory';
    if (!isInside(path)) return libFile(path) && compiler.sys.fileExists(path) ? 'file' : undefined;
    const at = path.lastIndexOf('/');
    const kind = entriesOf(path.slice(0, at)).get(path.slice(at + 1));
    // The kind of a link is known only after following it.
    return kind === 'other' ? (ask('stat', path) as string | undefined) : kind;
  };
  const read = (path: string) => {
    if (libFile(path)) return compiler.sys.readFile(path);
    return kindOf(path) === 'file' ? (ask('read', path) as string | undefined) : undefined;
  };
  const realpath = (path: string) =>
    (isInside(path) ? (ask('realpath', path) as string | undefined) : undefined) ?? path;
  return { kindOf, entriesOf, read, realpath, libFile };
};

const readFolder = (compiler: Compiler, files: Files, root: string) => {
  // Used by other tools with files in memory, but missing in the public types.
  const { matchFiles } = compiler as unknown as {
    matchFiles(...args: readonly unknown[]): string[];
  };
  const entries = (folder: string) => {
    const all = [...files.entriesOf(folder === '' ? root : folder).keys()];
    const ofKind = (kind: string) =>
      all.filter((name) => files.kindOf(`${folder}/${name}`) === kind);
    return { files: ofKind('file'), directories: ofKind('directory') };
  };
  return (
    path: string,
    extensions?: readonly string[],
    ...[excludes, includes, depth]: [(readonly string[])?, (readonly string[])?, number?]
  ) => matchFiles(path, extensions, excludes, includes, true, root, depth, entries, files.realpath);
};

/** Creates the host. It asks for each file once; nothing of it outlives the job. */
export const createProjectHost = (bench: Workbench, job: CheckJob, ask: Ask) => {
  const files = openFiles(bench, job, ask);
  return {
    useCaseSensitiveFileNames: true,
    getCurrentDirectory: () => job.root,
    fileExists: (path: string) => files.kindOf(path) === 'file',
    directoryExists: (path: string) => files.kindOf(path) === 'directory',
    getDirectories: (path: string) =>
      [...files.entriesOf(path).keys()].filter((n) => files.kindOf(`${path}/${n}`) === 'directory'),
    readFile: files.read,
    realpath: files.realpath,
    readDirectory: readFolder(bench.compiler, files, job.root),
    isLibFile: files.libFile,
  };
};

export type ProjectHost = ReturnType<typeof createProjectHost>;

export const HOST_PARTS = [openFiles, readFolder, createProjectHost];
