/** Finds the input of a call: arguments, a file, or what is piped in. */
import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Scalar } from 'yaml';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { isExactNumber } from '../../kit/text/exact-number.ts';
import { type Io, note } from '../io.ts';
import { misuse } from './misuse.ts';
import { type Pair, readPair } from './pairs.ts';
import { parseJson } from './parse-json.ts';

/** A whole value, and pairs to set inside it. */
export interface GivenInput {
  readonly base: unknown;
  readonly pairs: readonly Pair[];
}

interface InputArguments {
  readonly args: readonly string[];
  /** `--input`; `-` is stdin. */
  readonly file: string | undefined;
}

/** After this long without input, a line says that the command reads from stdin. */
const MAX_SILENCE_MS = 2000;

const readText = async (io: Io, path: string): Promise<string> => {
  try {
    return await readFile(resolve(io.cwd, path), 'utf8');
  } catch (error) {
    const code = errorCodeOf(error);
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code || 'unknown'})`;
    throw misuse(
      `The input file ${why}.`,
      'Check the path; it is relative to the current directory.',
    );
  }
};

interface YamlFault {
  readonly code?: string;
  readonly linePos?: readonly { readonly line: number; readonly col: number }[];
}

const yamlFailure = ({ code, linePos }: YamlFault): ToolFailure => {
  const [at] = linePos ?? [];
  const position = at ? ` at line ${at.line}, column ${at.col}` : '';
  return code === 'TAG_RESOLVE_FAILED'
    ? misuse(`The input file has a YAML tag${position} that is not supported.`, 'Remove the tag.')
    : misuse(`The input file is not valid YAML${position}.`, 'Correct the file and try again.');
};

/** Refuses a number that would be rounded, as JSON input does: an id must not turn into another one. */
const assertExact = ({ value, source = '' }: Scalar): void => {
  if (typeof value !== 'number' || isExactNumber(source, 0, source.length)) return;
  throw misuse(
    'The input file has a number that cannot be kept exactly.',
    'Write it in quotes, as a text.',
  );
};

/**
 * Parses YAML as plain data. Refuses tags outside the core schema, which the library would drop or turn
 * into values that are not JSON. The schema is set explicitly, because a `%YAML 1.1` line would change
 * it.
 */
const parseYaml = async (source: string): Promise<unknown> => {
  const { parseDocument, visit } = await import('yaml');
  const options = { schema: 'core', resolveKnownTags: false, logLevel: 'silent' } as const;
  try {
    const document = parseDocument(source, options);
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) throw fault;
    visit(document, { Scalar: (_, node) => assertExact(node) });
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw error instanceof ToolFailure ? error : yamlFailure(error as YamlFault);
  }
};

const readStdin = async (io: Io): Promise<unknown> => {
  const timer = io.runtime.after(MAX_SILENCE_MS, () => note(io, 'Waiting for JSON on stdin …'));
  const content = await text(io.stdin).finally(() => timer.cancel());
  return content.trim() === '' ? undefined : parseJson(content, 'The input on stdin');
};

const readBase = async (io: Io, file: string): Promise<unknown> => {
  if (file === '-') return readStdin(io);
  const content = await readText(io, file);
  return /\.ya?ml$/i.test(file) ? parseYaml(content) : parseJson(content, 'The input file');
};

/** Tells whether stdin is a pipe or a file: not a terminal, and not /dev/null. */
const isPiped = (io: Io): boolean => {
  if (io.stdin.isTTY === true) return false;
  try {
    const stat = fstatSync(io.stdin.fd);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false;
  }
};

/** Loads the text of `key=@file`; `key=@@text` is a text that starts with `@`. */
const loadPair = async (io: Io, pair: Pair): Promise<Pair> => {
  if (!pair.text.startsWith('@')) return pair;
  if (pair.text.startsWith('@@')) return { ...pair, text: pair.text.slice(1) };
  return { ...pair, text: await readText(io, pair.text.slice(1)) };
};

/** Reads the input. Fails with VALIDATION_ERROR. */
export const readInput = async (io: Io, { args, file }: InputArguments): Promise<GivenInput> => {
  const pairs: Pair[] = [];
  const wholes: string[] = [];
  for (const argument of args) {
    const pair = argument === '-' ? undefined : readPair(argument);
    if (pair) pairs.push(pair);
    else wholes.push(argument);
  }
  if (wholes.length + (file === undefined ? 0 : 1) > 1) {
    throw misuse(
      'The input is given more than once.',
      'Give one of: a JSON argument, --input, or - for stdin; key=value pairs may be added.',
    );
  }
  const loaded = await Promise.all(pairs.map((pair) => loadPair(io, pair)));
  const [whole] = wholes;
  if (whole !== undefined && whole !== '-') {
    return { base: parseJson(whole, 'The input'), pairs: loaded };
  }
  if (whole === '-' || file !== undefined) {
    return { base: await readBase(io, file ?? '-'), pairs: loaded };
  }
  return {
    base: pairs.length === 0 && isPiped(io) ? await readStdin(io) : undefined,
    pairs: loaded,
  };
};
