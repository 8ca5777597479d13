/** Makes a program of the tests runnable by plain Node, for tests that need processes to kill. */
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript-api';

const ROOT = resolve(import.meta.dirname, '../..');

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2023,
  verbatimModuleSyntax: true,
  rewriteRelativeImportExtensions: true,
};

/** The program and every file of ours that it imports. */
const filesOf = (entry: string, found: Set<string> = new Set()): ReadonlySet<string> => {
  if (found.has(entry)) return found;
  found.add(entry);
  const { importedFiles } = ts.preProcessFile(readFileSync(entry, 'utf8'));
  for (const { fileName } of importedFiles) {
    if (fileName.startsWith('.')) filesOf(resolve(dirname(entry), fileName), found);
  }
  return found;
};

/** Returns the path of the compiled program, in a folder of its own below the system's temp folder. */
export const compileProgram = (
  entry: string,
): { readonly folder: string; readonly program: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-program-'));
  const target = (path: string): string =>
    join(folder, relative(ROOT, path)).replace(/\.ts$/, '.js');
  for (const path of filesOf(entry)) {
    const { outputText } = ts.transpileModule(readFileSync(path, 'utf8'), {
      compilerOptions: OPTIONS,
      fileName: path,
    });
    mkdirSync(dirname(target(path)), { recursive: true });
    writeFileSync(target(path), outputText);
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, program: target(entry) };
};
