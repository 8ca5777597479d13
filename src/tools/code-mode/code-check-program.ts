/**
 * The program of the process that checks the types of a model's code. It reads only the declarations of
 * the compiler, which it caches between checks.
 */
import { compilerProgram } from '../compiler-program.ts';

/**
 * Writes the program. It takes `{ code, declarations }` and answers `{ problems }`: `{ line, column,
 * message }` in the code, counted from 1.
 */
export const codeCheckProgram = (): string =>
  compilerProgram(`({ compiler: ts, folder }) => {
const { basename, join } = require('node:path');
const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ES2022,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ['lib.es2022.d.ts'],
  types: [],
  strict: true,
  useUnknownInCatchVariables: false,
  noEmit: true,
  noResolve: true,
  skipLibCheck: true,
};
// The rule itself stays on: with it, an empty list takes the type of what is put into it.
const isImplicitAny = (code) => code >= 7000 && code < 7100;
const libs = new Map();
const libFile = (path) => {
  const name = basename(path);
  if (!/^lib\\.[\\w.]*d\\.ts$/.test(name)) return undefined;
  if (!libs.has(name)) {
    const text = ts.sys.readFile(join(folder, name));
    libs.set(name, text && ts.createSourceFile(path, text, options.target));
  }
  return libs.get(name);
};
const check = ({ code, declarations }) => {
  const texts = new Map([['/code.ts', code], ['/api.d.ts', declarations]]);
  const sources = new Map();
  const sourceOf = (path) => {
    if (!texts.has(path)) return libFile(path);
    if (!sources.has(path)) {
      sources.set(path, ts.createSourceFile(path, texts.get(path), options.target, true));
    }
    return sources.get(path);
  };
  const host = {
    fileExists: (path) => texts.has(path) || libFile(path) !== undefined,
    readFile: (path) => texts.get(path),
    getSourceFile: sourceOf,
    getDefaultLibFileName: () => '/lib.es2022.d.ts',
    getDefaultLibLocation: () => '/',
    getCurrentDirectory: () => '/',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\\n',
    writeFile: () => undefined,
  };
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host });
  const file = program.getSourceFile('/code.ts');
  const diagnostics = [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ];
  return diagnostics
    .filter(({ category, code }) => category === ts.DiagnosticCategory.Error && !isImplicitAny(code))
    .slice(0, 50)
    .map(({ start = 0, messageText }) => {
      const { line, character } = file.getLineAndCharacterOfPosition(start);
      const message = ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 500);
      return { line: line + 1, column: character + 1, message };
    });
};
return (job) => ({ problems: check(job) });
}`);
