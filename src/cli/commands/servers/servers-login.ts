/** `toolcrib servers login` and `logout`: OAuth in the browser; tokens are stored as secrets. */
import type { Command } from 'commander';
import type { openServerAuth } from '../../../crib/open-server-auth.ts';
import { compact } from '../../../kit/data/compact.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { MAX_PORT, misuse, wholeNumber } from '../../input/misuse.ts';
import { advise, hint, type Io, note, print, printDone, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { type ProgressLine, progressOn, withProgress } from '../../output/progress-line.ts';
import { type ConfigDeps, openConfigDeps } from '../../session/config-edit.ts';
import { onInterrupt } from '../../session/on-interrupt.ts';
import { openBrowser } from './open-browser.ts';
import { requireServer } from './server-config.ts';

type Auth = Awaited<ReturnType<typeof openServerAuth>>;
type AuthServer = Parameters<typeof openServerAuth>[0];

type LoginStep = Parameters<NonNullable<NonNullable<Parameters<Auth['login']>[0]>['onStep']>>[0];

interface ServerLoginOptions {
  readonly browser?: boolean;
  readonly clientId?: string;
  readonly port?: number;
  readonly scope?: string;
}

/** Finds a server that supports login: only servers reached over HTTP do. */
const remoteServer = async (
  deps: ConfigDeps,
  name: string,
  { clientId, port, scope }: ServerLoginOptions = {},
): Promise<AuthServer> => {
  const { url, oauth } = await requireServer(deps, name);
  if (url === undefined || !/^https?:/i.test(url)) {
    throw misuse(
      'This server has no login.',
      `It is a program that is started here; give it its credentials: toolcrib servers add ${name} --secret <NAME> --replace -- <command>`,
    );
  }
  return {
    name,
    url,
    ...oauth,
    ...compact({ clientId, redirectPort: port, scope }),
  };
};

/** Opens the login page in the browser, or prints its address. */
export const showPage = async (io: Io, url: URL, browser: boolean): Promise<void> => {
  const isOpen = browser && (await openBrowser(io, url));
  note(
    io,
    `${isOpen ? 'Your browser opens' : 'Open'} the login page of ${visibleText(url.host)}:`,
    `  ${visibleText(url.href)}`,
    io.noteInk.dim('Waiting for you to log in there. Press Ctrl-C to give up.'),
  );
};

export const authOf = async (
  io: Io,
  { loaded }: ConfigDeps,
  { server, browser = true }: { readonly server: AuthServer; readonly browser?: boolean },
): Promise<Auth> => {
  const { openServerAuth: open } = await import('../../../crib/open-server-auth.ts');
  const { config, userDir } = loaded;
  return open(server, {
    config,
    env: io.env,
    home: userDir,
    runtime: io.runtime,
    openBrowser: (url) => showPage(io, url, browser),
  });
};

const LABELS = {
  finding: (name: string) => `Asking ${name} where to log in`,
  redeeming: () => 'Fetching the tokens',
} as const;

/** Shows progress while the server answers, but not while the person logs in. */
const stepProgress = (io: Io, name: string) => {
  let line: ProgressLine | undefined;
  const stop = (): void => line?.stop();
  const onStep = (step: LoginStep): void => {
    stop();
    line = step === 'waiting' ? undefined : progressOn(io, LABELS[step](name));
  };
  return { onStep, stop };
};

/** The server or source to log in to, and the group of commands that tests it. */
export interface LoginTarget {
  readonly name: string;
  readonly auth: Pick<Auth, 'login' | 'logout'>;
  readonly group: 'servers' | 'sources';
}

const login = async (io: Io, name: string, options: ServerLoginOptions): Promise<number> => {
  const deps = await openConfigDeps(io);
  const server = await remoteServer(deps, name, options);
  const auth = await authOf(io, deps, { server, browser: options.browser ?? true });
  return logIn(io, { name, auth, group: 'servers' });
};

/** Waits until the person has logged in or cancels with Ctrl-C. */
export const logIn = async (io: Io, { name, auth, group }: LoginTarget): Promise<number> => {
  const cancelled = new AbortController();
  const stop = onInterrupt(io, () => cancelled.abort());
  const progress = stepProgress(io, name);
  try {
    const { onStep } = progress;
    const state = await auth.login({ signal: cancelled.signal, onStep }).finally(progress.stop);
    if (io.json) printJson(io, { [group.slice(0, -1)]: name, ...state });
    else {
      printDone(io, `Logged in: ${name}`);
      const until = state.state === 'signed_in' ? state.expiresAt : undefined;
      if (until !== undefined) {
        hint(io, `until ${formatTime(until)}; renewed automatically where the server allows it`);
      }
      advise(io, `Try it: toolcrib ${group} test ${name}`);
    }
    return 0;
  } finally {
    stop();
  }
};

const logout = async (io: Io, name: string): Promise<number> => {
  const deps = await openConfigDeps(io);
  const auth = await authOf(io, deps, { server: await remoteServer(deps, name) });
  return logOut(io, { name, auth, group: 'servers' });
};

/** Revokes the tokens at the server and deletes them here. */
export const logOut = async (io: Io, { name, auth, group }: LoginTarget): Promise<number> => {
  const removed = await withProgress(
    io,
    `Logging out at the login server of ${name}`,
    auth.logout(),
  );
  if (io.json) printJson(io, { [group.slice(0, -1)]: name, removed });
  else if (removed) printDone(io, `Logged out: ${name}`);
  else print(io, `You are not logged in: ${name}`);
  return 0;
};

export const serversLoginCommand = (servers: Command, io: Io): Command =>
  withExamples(
    withJson(servers.command('login').argument('<name>'))
      .option('--no-browser', 'only print the address of the login page')
      .option('--client-id <id>', 'the client id, where you registered this program yourself')
      .option(
        '--port <number>',
        'the port of the redirect address that was registered',
        wholeNumber('--port', 1, MAX_PORT),
      )
      .option('--scope <scopes>', 'the scopes to ask for, instead of those that the server names')
      .action(leaving(io, (name: string, options: ServerLoginOptions) => login(io, name, options))),
    'toolcrib servers login linear',
    'toolcrib servers login linear --no-browser',
  );

export const serversLogoutCommand = (servers: Command, io: Io): Command =>
  withExamples(
    withJson(servers.command('logout').argument('<name>')).action(
      leaving(io, (name: string) => logout(io, name)),
    ),
    'toolcrib servers logout linear',
  );
