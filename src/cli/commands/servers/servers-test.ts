/** `toolcrib servers test`, `restart` and `logs`: start a server for as long as the command runs. */
import type { Command } from 'commander';
import { ERRORS, type ToolError, ToolFailure, toolError } from '../../../contract/errors.ts';
import type { ServerStatus } from '../../../contract/servers.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { counted } from '../../output/format-units.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { noteHeldTools, serverTools, showServerTools } from './offer-tools.ts';
import { knownServer, type ServerSettings } from './server-config.ts';

const LAST_LINES = 12;

/** A server that cannot be started has none. */
const logsOf = ({ crib }: OpenCrib, name: string): readonly string[] => {
  try {
    return crib.servers.logs(name);
  } catch {
    return [];
  }
};

/** What to do next, by what went wrong, where the error itself says nothing of use. */
const adviceFor = (
  { name, enabled, command }: Tried,
  { code, suggestions }: ToolError,
): readonly string[] => {
  if (enabled === false) return suggestions;
  if (code === 'AUTH_MISSING') return [...suggestions, `Log in: toolcrib servers login ${name}`];
  // Its lines are shown here already.
  const own = suggestions.filter((each) => !each.endsWith(`toolcrib servers logs ${name}`));
  return command === undefined
    ? [...own, 'See that its address is right, and that it is running there.']
    : [...own, 'Run its command by hand to see what it says.'];
};

const errorOf = (tried: Tried, thrown: unknown): ToolError => {
  if (!(thrown instanceof ToolFailure)) throw thrown;
  const { code, message, extras } = thrown;
  const plain = toolError(code, message, extras);
  return { ...plain, suggestions: [...new Set(adviceFor(tried, plain))] };
};

/** The server in question, as it is configured. */
interface Tried extends Pick<ServerSettings, 'enabled' | 'command'> {
  readonly name: string;
}

const triedServer = async (open: OpenCrib, name: string): Promise<Tried> => ({
  ...(await knownServer(open, name)),
  name,
});

interface Attempt {
  readonly ms: number;
  readonly status?: ServerStatus;
  readonly error?: ToolError;
}

const attempt = async (
  io: Io,
  tried: Tried,
  work: () => Promise<ServerStatus>,
): Promise<Attempt> => {
  const began = io.runtime.elapsed();
  const past = (): number => Math.round(io.runtime.elapsed() - began);
  try {
    const status = await work();
    return { status, ms: past() };
  } catch (thrown) {
    return { error: errorOf(tried, thrown), ms: past() };
  }
};

const noteLogs = (io: Io, lines: readonly string[]): void => {
  if (lines.length === 0) return;
  note(io, io.noteInk.dim('Its last lines:'), ...lines.map((line) => `  ${visibleText(line)}`));
};

const showReady = (io: Io, { name, protocol, latencyMs }: ServerStatus, ms: number): void => {
  const ping = latencyMs === undefined ? '' : `, ping ${Math.round(latencyMs)} ms`;
  const speaks = protocol === undefined ? '' : `, protocol ${protocol}`;
  print(io, `${io.ink.green('✓')} ${name} answers in ${ms} ms${ping}${speaks}`);
};

/** The tools as the server has just listed them: a second crib finds them among the last definitions. */
const listedTools = (io: Io, name: string): Promise<ReturnType<typeof serverTools>> =>
  withStore(io, async ({ crib }) => serverTools(crib, name), { silent: true });

const examine = async (io: Io, open: OpenCrib, name: string): Promise<number> => {
  const tried = await triedServer(open, name);
  const { crib } = open;
  const { status, error, ms } = await attempt(io, tried, () => crib.servers.test(name));
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
  const tried = await triedServer(open, name);
  const { status, error, ms } = await attempt(io, tried, () => open.crib.servers.restart(name));
  if (io.json)
    printJson(io, {
      server: name,
      ok: !error,
      ms,
      ...(status && { status }),
      ...(error && { error }),
    });
  else if (status) showReady(io, status, ms);
  else if (error) {
    note(io, ...errorLines(error, io.noteInk));
    noteLogs(io, logsOf(open, name).slice(-LAST_LINES));
  }
  return error ? ERRORS[error.code].exit : 0;
};

/** What it says while it starts; a server that fails has the more to say. */
const logs = async (io: Io, open: OpenCrib, name: string): Promise<number> => {
  const tried = await triedServer(open, name);
  const { error } = await attempt(io, tried, () => open.crib.servers.test(name));
  const lines = logsOf(open, name);
  if (io.json) printJson(io, { server: name, lines, ...(error && { error }) });
  else {
    print(io, ...lines.map(visibleText));
    if (lines.length === 0) note(io, io.noteInk.dim('It wrote nothing to stderr.'));
    if (error) note(io, ...errorLines(error, io.noteInk));
  }
  return 0;
};

type Work = (io: Io, open: OpenCrib, name: string) => Promise<number>;

const one = (
  servers: Command,
  io: Io,
  { word, text, work }: { readonly word: string; readonly text: string; readonly work: Work },
): Command =>
  withExamples(
    withJson(servers.command(word).description(text).argument('<name>')).action(
      leaving(io, (name: string) => withStore(io, (open) => work(io, open, name))),
    ),
    `toolcrib servers ${word} github`,
    `toolcrib servers ${word} github --json`,
  );

export const serversTestCommand = (servers: Command, io: Io): Command =>
  one(servers, io, {
    word: 'test',
    text: 'start an MCP server, ping it and list its tools; say what is wrong if it fails',
    work: examine,
  });

export const serversRestartCommand = (servers: Command, io: Io): Command =>
  one(servers, io, {
    word: 'restart',
    text: 'start an MCP server again, also one that was given up',
    work: restart,
  });

export const serversLogsCommand = (servers: Command, io: Io): Command =>
  one(servers, io, {
    word: 'logs',
    text: 'start an MCP server and show what it writes to stderr, with secrets left out',
    work: logs,
  });
