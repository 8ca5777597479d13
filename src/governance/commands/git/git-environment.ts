/**
 * Makes runs of git safe. The environment names the repository instead of letting git search for
 * it, and switches off what configuration could make git run; git takes these variables before any
 * file. Settings that no variable can switch off are found in the text of the configuration.
 */
import { gitSettings } from './git-config-text.ts';

export interface GitLocation {
  /** Absolute. It need not exist: git then says that there is no repository. */
  readonly gitDir: string;
  readonly workTree: string;
}

/** Overrides every configuration file. `false` is a program that does nothing. */
const CONFIGURATION: Readonly<Record<string, string>> = {
  // A folder laid out like a repository (HEAD, objects, refs) is none unless it is named.
  'safe.bareRepository': 'explicit',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'core.quotePath': 'false',
  // Copies would tell how much a new file is like one that holds secrets.
  'diff.renames': 'true',
  'core.sshCommand': 'false',
  'core.gitProxy': 'false',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'push.gpgSign': 'false',
  'log.showSignature': 'false',
  // `--format=%G?` asks them.
  'gpg.program': 'false',
  'gpg.openpgp.program': 'false',
  'gpg.x509.program': 'false',
  'gpg.ssh.program': 'false',
  // An empty helper empties the list of those before it.
  'credential.helper': '',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'push.recurseSubmodules': 'no',
  // An empty one empties the list: servers merge or deploy what a push option asks for.
  'push.pushOption': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'rebase.autoStash': 'false',
};

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  GIT_NO_LAZY_FETCH: '1',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_PAGER: 'cat',
  // Transports over files, ssh or helpers run programs of the other repository, or of its name.
  GIT_ALLOW_PROTOCOL: 'https',
};

/** Variables of git that a tool may set for a run besides ours. */
const HARMLESS = /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/;

/** Leaves out what a tool sets for git that would change which repository or program it uses. */
export const withoutGitVariables = (
  variables: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables).filter(([name]) => !/^GIT_/i.test(name) || HARMLESS.test(name)),
  );

/** Turns settings into the variables that git reads them from. */
const configured = (settings: Readonly<Record<string, string>>): Record<string, string> => {
  const pairs = Object.entries(settings);
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(pairs.length)],
    ...pairs.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
};

/** A header that git sends to one origin, and to no other. */
export interface GitHeader {
  /** Scheme, host and port, such as `https://git.example.org`. */
  readonly origin: string;
  readonly header: string;
}

/** Adds a header to the settings of a run. They are in the environment, where no list shows them. */
export const withGitHeader = (
  env: Readonly<Record<string, string>>,
  { origin, header }: GitHeader,
): Readonly<Record<string, string>> => {
  const count = Number(env.GIT_CONFIG_COUNT ?? 0);
  return {
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: `http.${origin}/.extraHeader`,
    [`GIT_CONFIG_VALUE_${count}`]: header,
  };
};

/** Gives the variables for one run of git on one repository. */
export const gitEnvironment = ({
  gitDir,
  workTree,
}: GitLocation): Readonly<Record<string, string>> => ({
  ...VARIABLES,
  // In a sandbox the folder may seem to belong to somebody else.
  ...configured({ ...CONFIGURATION, 'safe.directory': workTree }),
  GIT_DIR: gitDir,
  GIT_WORK_TREE: workTree,
});

/** An entry a line: the section, and its keys; no keys means all of them. */
const RUNS_PROGRAMS: ReadonlyMap<string, readonly string[]> = new Map([
  // More files of configuration, chosen by folder or branch.
  ['include', []],
  ['includeif', []],
  // Programs that files go through on their way in and out of the working tree.
  ['filter', []],
  // Programs that show or compare files.
  ['diff', ['external', 'command', 'textconv']],
  // Programs that merge files.
  ['merge', ['driver']],
  // A program that lists the references of a repository whose objects are shared.
  ['core', ['alternaterefscommand']],
]);

/**
 * Settings that let somebody else pose as the host that a credential goes to. An own certificate
 * authority (`sslCAInfo`) stays possible: companies have one.
 */
const TRUSTS_HOSTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['http', ['sslverify', 'proxy', 'curloptresolve']],
]);

/** A text that git refuses is one as well: nobody knows what another version of git makes of it. */
const UNREADABLE = 'unreadable';

const findSetting = (
  text: string,
  table: ReadonlyMap<string, readonly string[]>,
): string | undefined => {
  try {
    for (const { section, key } of gitSettings(text)) {
      const keys = table.get(section);
      if (keys?.length === 0) return section;
      if (key !== undefined && keys?.includes(key)) return `${section}.${key}`;
    }
    return undefined;
  } catch {
    return UNREADABLE;
  }
};

/**
 * Finds the first setting that makes git run programs on files or read configuration from
 * elsewhere, and that cannot be switched off from outside. Gives `section.key`, or `undefined`.
 */
export const findProgramSetting = (text: string): string | undefined =>
  findSetting(text, RUNS_PROGRAMS);

/**
 * Finds the first setting that weakens the check of a host. A more exact address
 * in the repository's configuration wins over a variable, so it cannot be switched off either.
 */
export const findTrustSetting = (text: string): string | undefined =>
  findSetting(text, TRUSTS_HOSTS);
