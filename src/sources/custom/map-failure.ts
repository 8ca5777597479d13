/** Maps failures of sandboxed code to the line and column of the user's file. */
import { SourceMap } from 'node:module';
import { type ErrorExtras, ToolFailure } from '../../contract/errors.ts';
import { isCoded } from '../../kit/data/reason-of.ts';
import type { Position } from './file-problem.ts';
import { columnWithoutMarkers } from './mark-statements.ts';

export interface MappedCode {
  /** Its name in the sandbox, e.g. `run_tests.js`. */
  readonly name: string;
  /** With markers; see `mark-statements.ts`. */
  readonly text: string;
  /** The source map, as JSON; of the code without markers. */
  readonly map: string;
  readonly file: string;
  positionOf(line: number, column: number): Position;
}

/**
 * Makes the pattern that finds positions in a file. Names have letters, digits, `_`, `.` and `-` only, so the
 * dot is the only special character.
 */
const positionsOf = (name: string): RegExp =>
  new RegExp(`(?<![\\w.-])${name.replaceAll('.', '\\.')}:(\\d+)(?::(\\d+))?`, 'g');

type Locate = (line: number, column: number) => string | undefined;

const createLocator = ({ text, map, file, positionOf }: MappedCode): Locate => {
  const source = new SourceMap(JSON.parse(map));
  return (line, column) => {
    const entry = source.findEntry(line - 1, columnWithoutMarkers(text, line, column) - 1);
    if (!('originalSource' in entry)) return undefined;
    const [space, ...rest] = entry.originalSource.split(':');
    const from = rest.join(':');
    if (space !== 'user' || from === '') return undefined;
    const [originalLine, originalColumn] = [entry.originalLine + 1, entry.originalColumn + 1];
    const at =
      from === file
        ? positionOf(originalLine, originalColumn)
        : { line: originalLine, column: originalColumn };
    return `${from}:${at.line}:${at.column}`;
  };
};

/** Finds the first position in a stack that is in the user's code. */
const firstIn = (stack: string, positions: RegExp, locate: Locate): string | undefined => {
  for (const [, line, column] of stack.matchAll(positions)) {
    const position = locate(Number(line), Number(column ?? 1));
    if (position !== undefined) return position;
  }
  return undefined;
};

/** Keeps the code and the suggestions. Returns errors without a position as they are. */
export const mapFailure = (error: unknown, code: MappedCode): unknown => {
  if (!(error instanceof Error)) return error;
  const positions = positionsOf(code.name);
  const { message, stack = '' } = error;
  const inMessage = message.match(positions) !== null;
  if (!inMessage && stack.match(positions) === null) return error;
  const locate = createLocator(code);
  const at = inMessage ? undefined : firstIn(stack, positions, locate);
  const mapped = message.replaceAll(
    positions,
    (_, line: string, column: string | undefined) =>
      locate(Number(line), Number(column ?? 1)) ?? code.file,
  );
  const text = at === undefined ? mapped : `${mapped} (${at})`;
  const extras: ErrorExtras = isCoded(error) ? error.extras : {};
  return new ToolFailure(isCoded(error) ? error.code : 'EXECUTION_FAILED', text, extras);
};
