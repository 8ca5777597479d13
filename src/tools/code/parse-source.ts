/** Parses one source text, and refuses text that would overflow the parser. */
import type ts from 'typescript-api';
import { ToolFailure } from '../../contract/errors.ts';
import type { Compiler } from './load-compiler.ts';

/** One megabyte parses in well under a second. */
export const MAX_SOURCE = 1_000_000;

export const SOURCE_NAME = /\.[cm]?[jt]sx?$/i;

export interface SyntaxProblem {
  readonly line: number;
  readonly column: number;
  readonly code: number;
  readonly message: string;
}

export interface ParsedSource {
  readonly file: ts.SourceFile;
  readonly errors: readonly SyntaxProblem[];
}

const kindOf = (compiler: Compiler, name: string): ts.ScriptKind => {
  const { ScriptKind } = compiler;
  const ending = /\.([cm]?)([jt])s(x?)$/i.exec(name);
  if (ending?.[3]) return ending[2] === 'j' ? ScriptKind.JSX : ScriptKind.TSX;
  return ending?.[2] === 'j' ? ScriptKind.JS : ScriptKind.TS;
};

const problemsOf = (compiler: Compiler, file: ts.SourceFile): readonly SyntaxProblem[] => {
  // Every parsed file has the list, but it is missing in the public types.
  const diagnostics = 'parseDiagnostics' in file ? file.parseDiagnostics : [];
  return (diagnostics as readonly ts.DiagnosticWithLocation[]).map(
    ({ start, code, messageText }) => {
      const { line, character } = file.getLineAndCharacterOfPosition(start);
      const message = compiler.flattenDiagnosticMessageText(messageText, '\n');
      return { line: line + 1, column: character + 1, code, message };
    },
  );
};

/** Parses a text. Fails with VALIDATION_ERROR when it is too large or nested too deeply. */
export const parseSource = (compiler: Compiler, name: string, text: string): ParsedSource => {
  if (text.length > MAX_SOURCE) {
    throw new ToolFailure('VALIDATION_ERROR', 'The source text is too large to be parsed.', {
      issues: [{ path: ['code'], message: `More than ${MAX_SOURCE} characters.` }],
      suggestions: ['Parse a smaller file.'],
    });
  }
  try {
    const target = compiler.ScriptTarget.Latest;
    const kind = kindOf(compiler, name);
    const file = compiler.createSourceFile(name, text, target, true, kind);
    return { file, errors: problemsOf(compiler, file) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ToolFailure('VALIDATION_ERROR', 'The source text is nested too deeply.', {
      issues: [{ path: ['code'], message: 'Nested too deeply.' }],
      suggestions: ['Parse text that people wrote.'],
    });
  }
};
