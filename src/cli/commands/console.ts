/** `toolcrib console`: a fresh link to the console of the server that runs here. */
import type { Command } from 'commander';
import { ToolFailure } from '../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../command-actions.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { localPerson } from '../session/local-person.ts';
import { type OpenCrib, withStore } from '../session/open-crib.ts';
import { findServe } from '../session/running-server.ts';
import { tokensOf } from './tokens/open-tokens.ts';

interface ConsoleOptions {
  readonly open: boolean;
}

const TOKEN_LIFE_MS = 60_000;
const MAX_ANSWER_MS = 10_000;

const notRunning = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'No server of yours runs for this folder.', {
    suggestions: ['Start one: toolcrib serve --open'],
  });

/** Asks the server for a code, with a token that is good for this one request. */
const freshCode = async (io: Io, { crib }: OpenCrib, url: string): Promise<string> => {
  const tokens = await tokensOf(io, crib);
  const name = `console-${process.pid}-${io.runtime.now()}`;
  const expiresAt = io.runtime.now() + TOKEN_LIFE_MS;
  const { token, record } = await tokens.create({ name, role: 'admin', expiresAt }, localPerson());
  try {
    const response = await fetch(new URL('/v1/session/codes', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ user: 'local', role: 'admin' }),
      redirect: 'error',
      signal: AbortSignal.timeout(MAX_ANSWER_MS),
    });
    const { code } = (await response.json()) as { code?: unknown };
    if (response.status === 201 && typeof code === 'string') return code;
    throw new ToolFailure('SERVER_ERROR', `The server answered with status ${response.status}.`);
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure('SERVER_ERROR', 'The server did not answer.', {
      suggestions: ['See whether it is still running, or start it again: toolcrib serve'],
    });
  } finally {
    await tokens.revoke(record.id);
  }
};

const openConsole = (io: Io, { open }: ConsoleOptions): Promise<number> =>
  withStore(io, async (opened) => {
    const { loaded, root } = opened;
    const running = await findServe(loaded.userDir, root);
    if (!running) throw notRunning();
    const code = await freshCode(io, opened, running.url);
    const home = (loaded.config.server.publicUrl ?? running.url).replace(/\/+$/, '');
    const link = `${home}/#code=${code}`;
    if (io.json) {
      printJson(io, { console: link });
      return 0;
    }
    print(io, link);
    note(io, io.noteInk.dim('The link is good once, for ten minutes.'));
    if (open && io.stdout.isTTY === true) {
      const { openBrowser } = await import('./servers/open-browser.ts');
      if (!(await openBrowser(io, new URL(link)))) note(io, 'No browser could be opened.');
    }
    return 0;
  });

export const consoleCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('console'))
      .option('--no-open', 'only print the link')
      .action(leaving(io, (options: ConsoleOptions) => openConsole(io, options))),
    'toolcrib console',
    'toolcrib console --no-open',
  );
