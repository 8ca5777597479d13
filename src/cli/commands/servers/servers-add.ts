/** `toolcrib servers add`: writes a server into the configuration, and offers its tools. */
import { type Command, Option } from 'commander';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { type ServerDefinition, secretKeyFor } from '../../../config/mcp-import/foreign-server.ts';
import { argumentLooksSecret, looksSecret } from '../../../config/mcp-import/looks-secret.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { SERVER_TRANSPORTS, type ServerTransport } from '../../../contract/servers.ts';
import { compact } from '../../../kit/data/compact.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { collectEach, leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { hint, type Io, printDone, printJson, warn } from '../../io.ts';
import {
  assertEditable,
  type ConfigDeps,
  editConfig,
  openConfigDeps,
} from '../../session/config-edit.ts';
import { openVaultOf, readSecretValue } from '../secrets/secrets-deps.ts';
import { offerTools } from './offer-tools.ts';
import { definitionFault } from './plan-import.ts';
import { isOfProject, settingsOf } from './server-config.ts';

export interface AddServerOptions {
  readonly env?: readonly string[];
  readonly secret?: string;
  readonly url?: string;
  readonly transport?: ServerTransport;
  readonly project?: boolean;
  readonly replace?: boolean;
  readonly accept?: boolean;
}

const pairOf = (text: string): readonly [string, string] => {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw misuse('--env takes NAME=value.', 'For example: --env LOG_LEVEL=debug');
};

/** Makes the definition from what was typed. Throws a misuse that names what to type. */
export const definitionFrom = (
  words: readonly string[],
  { url, transport, env = [] }: AddServerOptions,
): ServerDefinition => {
  const [command, ...args] = words;
  if ((command === undefined) === (url === undefined)) {
    throw misuse(
      'Give --url, or -- and a command, to reach the server.',
      'A program to start: toolcrib servers add <name> -- npx -y some-server',
      'One that is running: toolcrib servers add <name> --url https://example.com/mcp',
    );
  }
  if (url !== undefined && env.length > 0) {
    throw misuse('--env is for a program to start; a server with --url has none.');
  }
  return {
    ...compact({ url, command }),
    ...(args.length > 0 && { args }),
    ...(env.length > 0 && { env: Object.fromEntries(env.map(pairOf)) }),
    ...(transport && { transport }),
  };
};

const warningsFor = ({ env = {}, args = [] }: ServerDefinition): readonly string[] => [
  ...Object.entries(env)
    .filter(([name, value]) => looksSecret(name, value))
    .map(
      ([name]) => `${name} looks like a secret and is in the file as it is: use --secret ${name}`,
    ),
  ...args
    .flatMap((arg, at) => (argumentLooksSecret(arg, args[at - 1]) ? [at + 1] : []))
    .map((at) => `argument ${at} looks like a secret; give it as a variable with --secret instead`),
];

/** Refuses the key of a secret that another server uses: `a` with `B_C` and `a-b` with `C` would share one. */
const assertOwnSecret = (deps: ConfigDeps, key: string, server: string): void => {
  const reference = `\${secret:${key}}`;
  const [other] = Object.entries(deps.loaded.config.mcp.servers).find(
    ([name, { env, headers }]) =>
      name !== server &&
      Object.values({ ...env, ...headers }).some((value) => value.includes(reference)),
  ) ?? [undefined];
  if (other === undefined) return;
  throw new ToolFailure('CONFLICT', `The secret ${key} belongs to the server ${other}.`, {
    suggestions: ['Choose another name for this server. Nothing was stored.'],
  });
};

interface NewSecret {
  readonly server: string;
  readonly variable: string | undefined;
  readonly servers: ConfigDeps;
}

/**
 * Reads the value of `--secret` from the terminal or a pipe and stores it; only its name is written into
 * the file.
 */
const withSecret = async (
  io: Io,
  definition: ServerDefinition,
  { server, variable, servers }: NewSecret,
): Promise<ServerDefinition> => {
  if (variable === undefined) return definition;
  if (definition.command === undefined) throw misuse('--secret is only for a program to start.');
  const key = secretKeyFor(server, variable);
  assertOwnSecret(servers, key, server);
  const vault = await openVaultOf(io);
  await vault.set(key, await readSecretValue(io, variable));
  hint(io, `${variable} is stored as ${key} in ${vault.label}`);
  return { ...definition, env: { ...definition.env, [variable]: `\${secret:${key}}` } };
};

/** Refuses to redefine the user's own server in a project: it would be ignored. */
const assertOwn = (deps: ConfigDeps, name: string, inProject: boolean): void => {
  if (!inProject || !settingsOf(deps, name) || isOfProject(deps, name)) return;
  throw new ToolFailure('PERMISSION_DENIED', 'A project cannot change your own server.', {
    suggestions: ['Choose another name, or leave --project out.'],
  });
};

/** Adds an MCP server, and offers its tools at a terminal. */
export const addServer = async (
  io: Io,
  { name, words }: { readonly name: string; readonly words: readonly string[] },
  options: AddServerOptions,
): Promise<number> => {
  const requested = definitionFrom(words, options);
  const fault = definitionFault(name, requested);
  if (fault !== undefined) {
    throw misuse('This server cannot be configured.', `Change it: ${fault}`);
  }
  const deps = await openConfigDeps(io);
  if (settingsOf(deps, name) && options.replace !== true) {
    throw new ToolFailure('CONFLICT', `There is a server ${name} already.`, {
      suggestions: ['Choose another name, or add --replace.'],
    });
  }
  const inProject = options.project === true;
  assertOwn(deps, name, inProject);
  await assertEditable(io, deps, inProject);
  const secret = { server: name, variable: options.secret, servers: deps };
  const definition = await withSecret(io, requested, secret);
  const { file } = await editConfig(io, deps, {
    inProject,
    change: (path) => setInConfigFile(path, ['mcp', 'servers', name], definition),
  });
  const warnings = warningsFor(requested);
  if (io.json) printJson(io, { server: name, file, definition: printable(definition), warnings });
  else {
    printDone(io, `Added: ${name}`);
    hint(io, `in ${visibleText(file)}`);
    for (const line of warnings) warn(io, visibleText(line));
    await offerTools(io, [`mcp:${name}`], { ask: options.accept !== false });
  }
  return 0;
};

/** Leaves out the values of environment variables. */
const printable = ({ env, ...rest }: ServerDefinition): object => ({
  ...rest,
  ...(env && { env: Object.keys(env) }),
});

/** Adds the options that say how a server is reached and what its program gets. */
export const withServerOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--transport <kind>', 'the transport; by default it is detected').choices(
        SERVER_TRANSPORTS,
      ),
    )
    .option('--env <NAME=value>', 'a variable of the program; can be repeated', collectEach)
    .option('--secret <NAME>', 'a variable whose value is asked for and stored as a secret');

export const serversAddCommand = (servers: Command, io: Io): Command =>
  withExamples(
    withServerOptions(
      withJson(
        servers
          .command('add')
          .description(
            'add an MCP server to your configuration; at a terminal it is started, and you are asked about its tools',
          )
          .argument('<name>', 'the name it gets here')
          .argument('[command...]', 'after --: the program to start, and its arguments'),
      ).option('--url <address>', 'the address of a server that is already running'),
    )
      .option('--project', 'add it to the configuration of this project instead of your own')
      .option('--replace', 'replace a server of this name')
      .option('--no-accept', 'start nothing and ask nothing about its tools')
      .action(
        leaving(io, (name: string, words: readonly string[], options: AddServerOptions) =>
          addServer(io, { name, words }, options),
        ),
      ),
    'toolcrib servers add files -- npx -y @modelcontextprotocol/server-filesystem .',
    'toolcrib servers add github --secret GITHUB_TOKEN -- docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server',
    'toolcrib servers add linear --url https://mcp.linear.app/mcp',
  );
