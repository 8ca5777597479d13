/** `toolcrib sources login` and `logout`: OAuth in the browser; tokens are stored as secrets. */
import type { Command } from 'commander';
import type { ToolFailure } from '../../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io } from '../../io.ts';
import { openConfigDeps } from '../../session/config-edit.ts';
import { namedSources, secretDeps } from '../secrets/secrets-deps.ts';
import { type LoginTarget, logIn, logOut, showPage } from '../servers/servers-login.ts';
import { requireSource } from './source-config.ts';

interface LoginOptions {
  readonly browser?: boolean;
}

/** Reads a secret from the sources that tools read from, in order. */
const secretOf = async (io: Io, key: string): Promise<string | undefined> => {
  for (const { secrets } of await namedSources(await secretDeps(io))) {
    const value = await secrets.get(key);
    if (value !== undefined) return value;
  }
  return undefined;
};

const noLogin = (name: string): ToolFailure =>
  misuse(
    'This source has no login.',
    `See which credentials it takes: toolcrib sources info ${name}`,
    'Where the API has one, set login: true of its scheme (docs/sources/openapi.md).',
  );

/** Finds the login of a source. Fails when the source has none, or its settings do not say where to log in. */
const targetOf = async (
  io: Io,
  name: string,
  { browser = true }: LoginOptions = {},
): Promise<LoginTarget> => {
  const deps = await openConfigDeps(io);
  const { kind, settings } = await requireSource(deps, name);
  const [{ hasLogin, openSourceLogin }, { sourceSettings }] = await Promise.all([
    import('../../../crib/sources/source-login.ts'),
    import('../../../crib/sources/source-settings.ts'),
  ]);
  const { config, userDir } = deps.loaded;
  const complete = sourceSettings(kind, name, settings);
  if (!hasLogin(complete)) throw noLogin(name);
  const auth = await openSourceLogin(complete, {
    config,
    runtime: io.runtime,
    home: userDir,
    secret: (key) => secretOf(io, key),
    openBrowser: (url) => showPage(io, url, browser),
  });
  return { name, auth, group: 'sources' };
};

export const sourcesLoginCommand = (sources: Command, io: Io): Command =>
  withExamples(
    withJson(sources.command('login').argument('<name>'))
      .option('--no-browser', 'only print the address of the login page')
      .action(
        leaving(io, async (name: string, options: LoginOptions) =>
          logIn(io, await targetOf(io, name, options)),
        ),
      ),
    'toolcrib sources login calendar',
  );

export const sourcesLogoutCommand = (sources: Command, io: Io): Command =>
  withExamples(
    withJson(sources.command('logout').argument('<name>')).action(
      leaving(io, async (name: string) => logOut(io, await targetOf(io, name))),
    ),
    'toolcrib sources logout calendar',
  );
