/**
 * The part of `type_check` that runs in a worker thread. Its functions travel as text, so they use
 * nothing but each other and what they are handed; `WORKER_SOURCE` puts them together.
 */
import type ts from 'typescript-api';
import type { Compiler } from './load-compiler.ts';

export interface CheckJob {
  /** Absolute, with forward slashes; so are all paths here. */
  readonly root: string;
  readonly configFile: string;
  /** Where the compiler keeps `lib.*.d.ts`; the only files read without asking. */
  readonly libFolder: string;
  readonly strict?: boolean;
  readonly maxErrors: number;
}

export interface TypeProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}

export interface CheckReport {
  readonly errors: readonly TypeProblem[];
  readonly warnings: readonly TypeProblem[];
  readonly total: number;
  readonly filesChecked: number;
}

/** What the worker asks of the thread that has the files. */
export type Question = 'list' | 'stat' | 'read' | 'realpath';
/** A listing, a kind, a text or a path; `undefined` when it may not be seen or is not there. */
export type Answer = readonly (readonly [name: string, kind: string])[] | string | undefined;
export type Ask = (question: Question, path: string) => Answer;

interface Files {
  kindOf(path: string): string | undefined;
  entriesOf(folder: string): ReadonlyMap<string, string>;
  read(path: string): string | undefined;
  realpath(path: string): string;
  libFile(path: string): boolean;
}

const openFiles = (compiler: Compiler, job: CheckJob, ask: Ask): Files => {
  const listings = new Map<string, ReadonlyMap<string, string>>();
  const isInside = (path: string) => path === job.root || path.startsWith(`${job.root}/`);
  const libFile = (path: string) =>
    path.startsWith(`${job.libFolder}/`) &&
    /^lib\.[\w.]*d\.ts$/.test(path.slice(job.libFolder.length + 1));
  const entriesOf = (folder: string): ReadonlyMap<string, string> => {
    const known = listings.get(folder);
    if (known) return known;
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
    // A link shows what it is only when it is followed.
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
  // Known to every tool that keeps files in memory, but not among the public types.
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

const createHost = (compiler: Compiler, files: Files, job: CheckJob) => ({
  useCaseSensitiveFileNames: true,
  getCurrentDirectory: () => job.root,
  fileExists: (path: string) => files.kindOf(path) === 'file',
  directoryExists: (path: string) => files.kindOf(path) === 'directory',
  getDirectories: (path: string) =>
    [...files.entriesOf(path).keys()].filter((n) => files.kindOf(`${path}/${n}`) === 'directory'),
  readFile: files.read,
  realpath: files.realpath,
  readDirectory: readFolder(compiler, files, job.root),
});

const createProgram = (compiler: Compiler, job: CheckJob, ask: Ask): ts.Program => {
  const files = openFiles(compiler, job, ask);
  const base = createHost(compiler, files, job);
  const config = compiler.readJsonConfigFile(job.configFile, files.read);
  // The compiler's own declarations are known to be right.
  const forced = {
    noEmit: true,
    skipDefaultLibCheck: true,
    ...(job.strict !== undefined && { strict: job.strict }),
  };
  const folder = job.configFile.slice(0, job.configFile.lastIndexOf('/'));
  const parsed = compiler.parseJsonSourceFileConfigFileContent(
    config,
    base as unknown as ts.ParseConfigHost,
    folder,
    forced,
    job.configFile,
  );
  const host: ts.CompilerHost = {
    ...base,
    useCaseSensitiveFileNames: () => true,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
    getDefaultLibFileName: (options) =>
      `${job.libFolder}/${compiler.getDefaultLibFileName(options)}`,
    getDefaultLibLocation: () => job.libFolder,
    getSourceFile: (name, target) => {
      const text = files.read(name);
      return text === undefined ? undefined : compiler.createSourceFile(name, text, target);
    },
    writeFile: () => undefined,
  };
  return compiler.createProgram({
    rootNames: parsed.fileNames,
    options: parsed.options,
    host,
    configFileParsingDiagnostics: parsed.errors,
  });
};

const placeOf = (compiler: Compiler, job: CheckJob, diagnostic: ts.Diagnostic): TypeProblem => {
  const { file, start = 0, code, messageText } = diagnostic;
  const at = file ? compiler.getLineAndCharacterOfPosition(file, start) : { line: 0, character: 0 };
  const name = file?.fileName ?? job.configFile;
  return {
    file: name.startsWith(`${job.root}/`) ? name.slice(job.root.length + 1) : name,
    line: at.line + 1,
    column: at.character + 1,
    code,
    message: compiler.flattenDiagnosticMessageText(messageText, '\n'),
  };
};

/** Checks the project that the job names. Everything it reads of it, it asks for. */
export const checkTypes = (compiler: Compiler, job: CheckJob, ask: Ask): CheckReport => {
  const program = createProgram(compiler, job, ask);
  const all = compiler.sortAndDeduplicateDiagnostics(compiler.getPreEmitDiagnostics(program));
  const { Error: error } = compiler.DiagnosticCategory;
  const errors = all.filter(({ category }) => category === error);
  const others = all.filter(({ category }) => category !== error);
  const shown = (list: readonly ts.Diagnostic[]) =>
    list.slice(0, job.maxErrors).map((each) => placeOf(compiler, job, each));
  const isOwn = ({ fileName }: ts.SourceFile) =>
    fileName.startsWith(`${job.root}/`) && !fileName.includes('/node_modules/');
  return {
    errors: shown(errors),
    warnings: shown(others),
    total: errors.length,
    filesChecked: program.getSourceFiles().filter(isOwn).length,
  };
};

const PARTS = [openFiles, readFolder, createHost, createProgram, placeOf, checkTypes];

/** The program of the worker: it asks by message and sleeps until the answer is there. */
export const workerSource = (): string => `
const { parentPort, receiveMessageOnPort, workerData } = require('node:worker_threads');
${PARTS.map((part) => `const ${part.name} = ${part.toString()};`).join('\n')}
const { compiler, job, port, flag } = workerData;
const ask = (question, path) => {
  Atomics.store(flag, 0, 0);
  port.postMessage({ question, path });
  Atomics.wait(flag, 0, 0);
  return receiveMessageOnPort(port).message.answer;
};
parentPort.postMessage(${checkTypes.name}(require(compiler), job, ask));
port.close();
`;
