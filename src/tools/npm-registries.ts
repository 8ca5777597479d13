/**
 * Finds the registries of the user's own npm configuration by asking npm. A configuration file of the
 * project is ignored: its author could direct npm to any host.
 */
import { dirname, join } from 'node:path';
import { ToolFailure } from '../contract/errors.ts';

export interface NpmRegistries {
  readonly main: string;
  /** Registries by scope, such as `@team`. */
  readonly scopes: Readonly<Record<string, string>>;
}

export type ReadRegistries = () => Promise<NpmRegistries>;

const SCOPE = /^(@[a-z0-9][a-z0-9._~-]*):registry$/;
const CONFIG_MS = 30_000;
const MAX_OUTPUT = 1_000_000;

const unusable = (): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', 'The npm configuration names no usable registry.', {
    suggestions: ['Have a person look at `npm config get registry`.'],
  });

/** Removes user and password, which must not get into the sandbox. */
const plainUrl = (text: unknown): string => {
  if (typeof text !== 'string' || !URL.canParse(text)) throw unusable();
  const { protocol, host, pathname } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw unusable();
  return `${protocol}//${host}${pathname}`;
};

/** Reads the output of `npm config ls --json`. Fails with PRECONDITION_FAILED when it has no registry. */
export const readRegistries = (text: string): NpmRegistries => {
  let settings: unknown;
  try {
    settings = JSON.parse(text);
  } catch {
    throw unusable();
  }
  if (typeof settings !== 'object' || settings === null) throw unusable();
  const entries = Object.entries(settings);
  const scopes = entries.flatMap(([key, value]) => {
    const [, scope] = SCOPE.exec(key) ?? [];
    return scope === undefined ? [] : [[scope, plainUrl(value)] as const];
  });
  const [, main] = entries.find(([key]) => key === 'registry') ?? [];
  return { main: plainUrl(main), scopes: Object.fromEntries(scopes) };
};

/** How to install npm; Debian has it in a separate package. */
export const INSTALL_NPM =
  'Install Node.js with npm: https://nodejs.org/en/download (Debian: apt-get install npm).';

const noNpm = (): ToolFailure =>
  new ToolFailure('DEPENDENCY_MISSING', 'The program npm is not installed beside Node.', {
    suggestions: [INSTALL_NPM],
  });

/**
 * Asks the npm of this Node, in a folder without a project. Fails with DEPENDENCY_MISSING when there is
 * none.
 */
export const userRegistries = (node = process.execPath): Promise<NpmRegistries> => {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const npm = join(dirname(node), 'npm');
  const options = { cwd: '/', timeout: CONFIG_MS, maxBuffer: MAX_OUTPUT };
  return new Promise((resolve, reject) => {
    execFile(npm, ['config', 'ls', '--json'], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error.code === 'ENOENT' ? noNpm() : unusable());
    });
  }).then((stdout) => readRegistries(String(stdout)));
};

const addressesOf = ({ main, scopes }: NpmRegistries): readonly string[] => [
  ...new Set([main, ...Object.values(scopes)]),
];

/** Lists the hosts to reach, each with its port. */
export const registryHosts = (registries: NpmRegistries): readonly string[] =>
  addressesOf(registries).map((address) => {
    const { hostname, port, protocol } = new URL(address);
    return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  });

/** Writes the registries as environment variables, which override every configuration file. */
export const registryVariables = ({
  main,
  scopes,
}: NpmRegistries): Readonly<Record<string, string>> => ({
  npm_config_registry: main,
  ...Object.fromEntries(
    Object.entries(scopes).map(([scope, url]) => [`npm_config_${scope}:registry`, url]),
  ),
});
