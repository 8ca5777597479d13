/** `toolcrib sources refresh` and `test`: read the definitions of sources again. */
import type { Command } from 'commander';
import { ERRORS, type ToolError, ToolFailure, toolError } from '../../../contract/errors.ts';
import type { SourceChange, SourceRefresh } from '../../../contract/sources.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { advise, type Io, note, print, printDone, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { counted } from '../../output/format-units.ts';
import { whileShown } from '../../output/progress-line.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { noteHeldTools, serverTools, showServerTools } from '../servers/offer-tools.ts';
import { requireSource } from './source-config.ts';

interface Reading {
  readonly name: string;
  readonly ms: number;
  readonly refresh?: SourceRefresh;
  readonly error?: ToolError;
}

const adviceFor = (name: string, error: ToolError): readonly string[] =>
  error.code === 'AUTH_MISSING'
    ? [...error.suggestions, `Log in: toolcrib sources login ${name}`]
    : [...error.suggestions, `Look at its settings: toolcrib sources info ${name}`];

const errorOf = (name: string, thrown: unknown): ToolError => {
  const plain =
    thrown instanceof ToolFailure
      ? toolError(thrown.code, thrown.message, thrown.extras)
      : toolError('SERVER_ERROR', reasonOf(thrown));
  return { ...plain, suggestions: [...new Set(adviceFor(name, plain))] };
};

const readAgain = async (io: Io, { crib }: OpenCrib, name: string): Promise<Reading> => {
  const startedAt = io.runtime.elapsed();
  const elapsed = (): number => Math.round(io.runtime.elapsed() - startedAt);
  try {
    const refresh = await whileShown(io, `Reading ${name}`, () => crib.sources.refresh(name));
    return { name, refresh, ms: elapsed() };
  } catch (thrown) {
    return { name, error: errorOf(name, thrown), ms: elapsed() };
  }
};

const MAX_NAMES = 20;

const changeLines = (io: Io, { added, removed, changed }: SourceChange): readonly string[] => {
  const marks = [
    ...added.map((name) => io.ink.green(`+ ${visibleText(name)}`)),
    ...removed.map((name) => io.ink.red(`- ${visibleText(name)}`)),
    ...changed.map((name) => io.ink.yellow(`~ ${visibleText(name)}`)),
  ];
  const rest = marks.length - MAX_NAMES;
  return [
    ...marks.slice(0, MAX_NAMES),
    ...(rest > 0 ? [io.ink.dim(`and ${rest} more; --json lists all of them`)] : []),
  ];
};

const showReading = (io: Io, { name, refresh, error, ms }: Reading): void => {
  if (error) {
    note(io, `${io.noteInk.red('✗')} ${visibleText(name)}`, ...errorLines(error, io.noteInk));
    return;
  }
  if (!refresh) return;
  const { change, status } = refresh;
  const lines = changeLines(io, change);
  const what = lines.length === 0 ? 'nothing has changed' : 'changed';
  printDone(io, `${name}: ${counted(status.tools, 'tool')} in ${ms} ms, ${what}`);
  print(io, ...lines.map((line) => `  ${line}`));
};

/** Returns the exit code of the first failure. */
const exitOf = (readings: readonly Reading[]): number => {
  const failed = readings.find(({ error }) => error);
  return failed?.error ? ERRORS[failed.error.code].exit : 0;
};

const refresh = async (io: Io, open: OpenCrib, name: string | undefined): Promise<number> => {
  if (name !== undefined) await requireSource(open, name);
  const names =
    name === undefined
      ? open.crib.sources
          .list()
          .filter(({ state }) => state !== 'disabled')
          .map((source) => source.name)
      : [name];
  const readings: Reading[] = [];
  for (const source of names) {
    const reading = await readAgain(io, open, source);
    readings.push(reading);
    if (!io.json) showReading(io, reading);
  }
  if (io.json) {
    printJson(io, {
      sources: readings.map(({ refresh: read, ...rest }) => ({ ...rest, ...read })),
    });
  } else if (names.length === 0) print(io, 'There is no source to read.');
  else if (readings.some((reading) => hasNews(reading))) {
    advise(io, 'Review and accept what changed: toolcrib tools lock --accept-all');
  }
  return exitOf(readings);
};

const hasNews = ({ refresh: read }: Reading): boolean =>
  read !== undefined && read.change.added.length + read.change.changed.length > 0;

const test = async (io: Io, open: OpenCrib, name: string): Promise<number> => {
  const { kind } = await requireSource(open, name);
  const reading = await readAgain(io, open, name);
  const { refresh: read, error, ms } = reading;
  const tools = read ? serverTools(open.crib, `${kind}:${name}`) : [];
  if (io.json) {
    const answer = read ? { ...read, tools } : { error };
    printJson(io, { source: name, kind, ok: !error, ms, ...answer });
  } else {
    showReading(io, reading);
    showServerTools(io, tools);
    noteHeldTools(io, tools);
  }
  return exitOf([reading]);
};

export const sourcesRefreshCommand = (sources: Command, io: Io): Command =>
  withExamples(
    withJson(sources.command('refresh').argument('[name]', 'only this one')).action(
      leaving(io, (name: string | undefined) => withStore(io, (open) => refresh(io, open, name))),
    ),
    'toolcrib sources refresh',
    'toolcrib sources refresh petstore --json',
  );

export const sourcesTestCommand = (sources: Command, io: Io): Command =>
  withExamples(
    withJson(sources.command('test').argument('<name>')).action(
      leaving(io, (name: string) => withStore(io, (open) => test(io, open, name))),
    ),
    'toolcrib sources test petstore',
  );
