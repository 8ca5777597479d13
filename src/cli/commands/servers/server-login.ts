/** The login to a configured server, as commands need it. */

import { ToolFailure } from '../../../contract/errors.ts';
import type { openServerAuth } from '../../../crib/open-server-auth.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note } from '../../io.ts';
import { openBrowser } from './open-browser.ts';
import { knownServer, type ServerDeps } from './server-config.ts';

type Auth = Awaited<ReturnType<typeof openServerAuth>>;
type AuthServer = Parameters<typeof openServerAuth>[0];

export type LoginStep = Parameters<
  NonNullable<NonNullable<Parameters<Auth['login']>[0]>['onStep']>
>[0];

export interface ServerLoginOptions {
  readonly browser?: boolean;
  readonly clientId?: string;
  readonly port?: number;
  readonly scope?: string;
}

/** Only a server that is reached by http can be logged in to. */
export const remoteServer = async (
  deps: ServerDeps,
  name: string,
  { clientId, port, scope }: ServerLoginOptions = {},
): Promise<AuthServer> => {
  const { url, oauth } = await knownServer(deps, name);
  if (url === undefined || !/^https?:/i.test(url)) {
    throw new ToolFailure('VALIDATION_ERROR', 'This server has no login.', {
      suggestions: [
        `It is a program that is started here; give it its credentials: toolcrib servers add ${name} --secret <NAME> --replace -- <command>`,
      ],
    });
  }
  return {
    name,
    url,
    ...oauth,
    ...(clientId !== undefined && { clientId }),
    ...(port !== undefined && { redirectPort: port }),
    ...(scope !== undefined && { scope }),
  };
};

const showPage = async (io: Io, url: URL, browser: boolean): Promise<void> => {
  const isOpen = browser && (await openBrowser(io, url));
  note(
    io,
    `${isOpen ? 'Your browser opens' : 'Open'} the login page of ${visibleText(url.host)}:`,
    `  ${visibleText(url.href)}`,
    io.noteInk.dim('Waiting for you to log in there. Ctrl-C gives up.'),
  );
};

export const authOf = async (
  io: Io,
  { loaded }: ServerDeps,
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
