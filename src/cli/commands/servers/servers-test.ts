/** `toolcrib servers test`, `restart` and `logs`: start a server for as long as the command runs. */
import type { Command } from 'commander';
import { ERRORS, type ToolError, ToolFailure, toolError } from '../../../contract/errors.ts';
import type { ServerStatus } from '../../../contract/servers.ts';
import { compact } from '../../../kit/data/compact.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, note, print, printDone, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { counted } from '../../output/format-units.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { noteHeldTools, serverTools, showServerTools } from './offer-tools.ts';
import { requireServer, type ServerSettings } from './server-config.ts';

const LAST_LINES = 12;

/** Reads the log; empty for a server that cannot be started. */
const logsOf = ({ crib }: OpenCrib, name: string): readonly string[] => {
  try {
    return crib.servers.logs(name);
  } catch {
    return [];
  }
};

/** Adds what to do next to a failure. */
const adviceFor = (
  { name, enabled, command }: TestedServer,
  { code, suggestions }: ToolError,
): readonly string[] => {
  if (enabled === false) return suggestions;
  if (code === 'AUTH_MISSING') return [...suggestions, `Log in: toolcrib servers login ${name}`];
  // The log is shown by this command, so no suggestion has to name it.
  const own = suggestions.filter((each) => !each.endsWith(`toolcrib servers logs ${name}`));
  return command === undefined
    ? [...own, 'Check its address, and that it is running there.']
    : [...own, 'Run its command by hand to see its output.'];
};

const errorOf = (server: TestedServer, thrown: unknown): ToolError => {
  if (!(thrown instanceof ToolFailure)) throw thrown;
  const { code, message, extras } = thrown;
  const plain = toolError(code, message, extras);
  return { ...plain, suggestions: [...new Set(adviceFor(server, plain))] };
};

interface TestedServer extends Pick<ServerSettings, 'enabled' | 'command'> {
  readonly name: string;
}

const testedServer = async (open: OpenCrib, name: string): Promise<TestedServer> => ({
  ...(await requireServer(open, name)),
  name,
});

interface Attempt {
  readonly ms: number;
  readonly status?: ServerStatus;
  readonly error?: ToolError;
}

const attempt = async (
  io: Io,
  server: TestedServer,
  work: () => Promise<ServerStatus>,
): Promise<Attempt> => {
  const startedAt = io.runtime.elapsed();
  const elapsed = (): number => Math.round(io.runtime.elapsed() - startedAt);
  try {
    const status = await work();
    return { status, ms: elapsed() };
  } catch (thrown) {
    return { error: errorOf(server, thrown), ms: elapsed() };
  }
};

const noteLogs = (io: Io, lines: readonly string[]): void => {
  if (lines.length === 0) return;
  note(io, io.noteInk.dim('Its last lines:'), ...lines.map((line) => `  ${visibleText(line)}`));
};

const showReady = (io: Io, { name, protocol, latencyMs }: ServerStatus, ms: number): void => {
  const ping = latencyMs === undefined ? '' : `, ping ${Math.round(latencyMs)} ms`;
  const speaks = protocol === undefined ? '' : `, protocol ${protocol}`;
  printDone(io, `${name} answers in ${ms} ms${ping}${speaks}`);
};

/** Lists the tools that a server has just listed: a second crib reads them from the cache. */
const listedTools = (io: Io, name: string): Promise<ReturnType<typeof serverTools>> =>
  withStore(io, async ({ crib }) => serverTools(crib, `mcp:${name}`), { silent: true });

const examine = async (io: Io, open: OpenCrib, name: string): Promise<number> => {
  const server = await testedServer(open, name);
  const { crib } = open;
  const { status, error, ms } = await attempt(io, server, () => crib.servers.test(name));
  const logs = error ? logsOf(open, name).slice(-LAST_LINES) : [];
  const tools = status ? await listedTools(io, name) : [];
  if (io.json) {
    printJson(io, {
      server: name,
      ok: !error,
      ms,
      ...(status && { status, tools }),
      ...(error && { error, logs }),
    });
  } else if (status) {
    showReady(io, status, ms);
    print(
      io,
      `${counted(status.tools, 'tool')}, ${counted(status.resources, 'resource')}, ${counted(status.prompts, 'prompt')}`,
    );
    showServerTools(io, tools);
    noteHeldTools(io, tools);
  } else if (error) {
    note(io, ...errorLines(error, io.noteInk));
    noteLogs(io, logs);
  }
  return error ? ERRORS[error.code].exit : 0;
};

const restart = async (io: Io, open: OpenCrib, name: string): Promise<number> => {
  const server = await testedServer(open, name);
  const { status, error, ms } = await attempt(io, server, () => open.crib.servers.restart(name));
  if (io.json)
    printJson(io, {
      server: name,
      ok: !error,
      ms,
      ...compact({ status, error }),
    });
  else if (status) showReady(io, status, ms);
  else if (error) {
    note(io, ...errorLines(error, io.noteInk));
    noteLogs(io, logsOf(open, name).slice(-LAST_LINES));
  }
  return error ? ERRORS[error.code].exit : 0;
};

/** Starts the server and prints its log. */
const logs = async (io: Io, open: OpenCrib, name: string): Promise<number> => {
  const server = await testedServer(open, name);
  const { error } = await attempt(io, server, () => open.crib.servers.test(name));
  const lines = logsOf(open, name);
  if (io.json) printJson(io, { server: name, lines, ...(error && { error }) });
  else {
    print(io, ...lines.map(visibleText));
    if (lines.length === 0) hint(io, 'It wrote nothing to stderr.');
    if (error) note(io, ...errorLines(error, io.noteInk));
  }
  return 0;
};

type Work = (io: Io, open: OpenCrib, name: string) => Promise<number>;

const serverCommand = (
  servers: Command,
  io: Io,
  { word, work }: { readonly word: string; readonly work: Work },
): Command =>
  withExamples(
    withJson(servers.command(word).argument('<name>')).action(
      leaving(io, (name: string) => withStore(io, (open) => work(io, open, name))),
    ),
    `toolcrib servers ${word} github`,
    `toolcrib servers ${word} github --json`,
  );

export const serversTestCommand = (servers: Command, io: Io): Command =>
  serverCommand(servers, io, { word: 'test', work: examine });

export const serversRestartCommand = (servers: Command, io: Io): Command =>
  serverCommand(servers, io, { word: 'restart', work: restart });

export const serversLogsCommand = (servers: Command, io: Io): Command =>
  serverCommand(servers, io, { word: 'logs', work: logs });
