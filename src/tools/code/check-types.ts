/**
 * The part of `type_check` that uses the compiler. It runs in a separate process and is sent there as
 * text, so its functions use only each other and their arguments.
 */
import type ts from 'typescript-api';
import type { CheckJob, CheckReport, TypeProblem, Workbench } from './check-job.ts';
import type { Compiler } from './load-compiler.ts';
import type { ProjectHost } from './project-host.ts';

interface Project {
  readonly options: ts.CompilerOptions;
  readonly fileNames: readonly string[];
  readonly errors: readonly ts.Diagnostic[];
}

/** Lists the syntax errors of a configuration file; `undefined` when there are none. */
const findSyntaxErrors = (
  compiler: Compiler,
  config: ts.TsConfigSourceFile,
): readonly ts.Diagnostic[] | undefined => {
  // Missing in the public types. A file that could not be read has only the diagnostics.
  const { parseDiagnostics, statements } = config as Partial<ts.TsConfigSourceFile> & {
    parseDiagnostics: readonly ts.Diagnostic[];
  };
  const value = statements?.[0]?.expression;
  const isOther = value !== undefined && !compiler.isObjectLiteralExpression(value);
  return parseDiagnostics.length > 0 || isOther ? parseDiagnostics : undefined;
};

/**
 * Reads the configuration. A broken one gives errors but no files, because it is not clear which it
 * means.
 */
const readProject = (
  { compiler }: Workbench,
  job: CheckJob,
  host: ProjectHost,
): Project | Pick<Project, 'errors'> => {
  const config = compiler.readJsonConfigFile(job.configFile, host.readFile);
  const broken = findSyntaxErrors(compiler, config);
  if (broken && !('statements' in config)) return { errors: broken };
  // The declarations of the compiler itself need no check.
  const forced = {
    noEmit: true,
    skipDefaultLibCheck: true,
    ...(job.strict !== undefined && { strict: job.strict }),
  };
  const parsed = compiler.parseJsonSourceFileConfigFileContent(
    config,
    (broken ? { ...host, readDirectory: () => [] } : host) as unknown as ts.ParseConfigHost,
    job.configFile.slice(0, job.configFile.lastIndexOf('/')),
    forced,
    job.configFile,
  );
  if (!broken) return parsed;
  const noInputs = 18003;
  return { errors: [...broken, ...parsed.errors.filter(({ code }) => code !== noInputs)] };
};

/** Keeps the parsed libraries of the last few settings only: each takes some 30 MB. */
const libsFor = ({ compiler, libs }: Workbench, options: ts.CompilerOptions) => {
  const maxSettings = 3;
  const key = compiler.createDocumentRegistry().getKeyForCompilationSettings(options);
  const files = libs.get(key) ?? new Map<string, ts.SourceFile>();
  libs.delete(key);
  libs.set(key, files);
  for (const oldest of [...libs.keys()].slice(0, -maxSettings)) libs.delete(oldest);
  return files;
};

const createProgram = (bench: Workbench, project: Project, files: ProjectHost): ts.Program => {
  const { compiler, libFolder } = bench;
  const libs = libsFor(bench, project.options);
  const parse: ts.CompilerHost['getSourceFile'] = (name, how) => {
    const text = files.readFile(name);
    return text === undefined ? undefined : compiler.createSourceFile(name, text, how);
  };
  const host: ts.CompilerHost = {
    ...files,
    useCaseSensitiveFileNames: () => true,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
    getDefaultLibFileName: (options) => `${libFolder}/${compiler.getDefaultLibFileName(options)}`,
    getDefaultLibLocation: () => libFolder,
    getSourceFile: (name, how) => {
      if (!files.isLibFile(name)) return parse(name, how);
      const key = `${typeof how === 'object' ? how.impliedNodeFormat : ''} ${name}`;
      const file = libs.get(key) ?? parse(name, how);
      if (file) libs.set(key, file);
      return file;
    },
    writeFile: () => undefined,
  };
  return compiler.createProgram({
    rootNames: project.fileNames,
    options: project.options,
    host,
    configFileParsingDiagnostics: project.errors,
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

/** Checks the project of a job. Reads files through the host only. */
export const checkTypes = (bench: Workbench, job: CheckJob, host: ProjectHost): CheckReport => {
  const { compiler } = bench;
  const project = readProject(bench, job, host);
  const program = 'options' in project ? createProgram(bench, project, host) : undefined;
  const all = compiler.sortAndDeduplicateDiagnostics(
    program ? compiler.getPreEmitDiagnostics(program) : project.errors,
  );
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
    filesChecked: program?.getSourceFiles().filter(isOwn).length ?? 0,
    compiler: compiler.version,
  };
};

export const CHECK_PARTS = [
  findSyntaxErrors,
  readProject,
  libsFor,
  createProgram,
  placeOf,
  checkTypes,
];
