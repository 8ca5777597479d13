/**
 * Which file names nobody may read because they hold secrets, and which may be read but not written
 * because programs run or trust them. The lists are data; `*` stands for any run of characters
 * within one segment, `/` joins segments that must follow each other, and case never matters.
 */

/** Folders whose whole content is secret, wherever they lie: also as, or above, an allowed root. */
export const SENSITIVE_FOLDERS: readonly string[] = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.password-store',
  '.oci',
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/op',
  '.config/rclone',
  '.local/share/keyrings',
  'library/keychains',
];

/** Files, or folders below a root, that hold keys, tokens or passwords. */
export const SENSITIVE_FILES: readonly string[] = [
  '.envrc',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '*.pem',
  '*.key',
  '*.p8',
  '*.p12',
  '*.pfx',
  '*.ppk',
  '*.jks',
  '*.keystore',
  '*.kdb',
  '*.kdbx',
  '*.agekey',
  '*.keychain',
  '*.keychain-db',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.boto',
  '.s3cfg',
  '.dockercfg',
  '.docker/config.json',
  '.kube/config',
  '.m2/settings.xml',
  '.terraformrc',
  '.vault-token',
  '.git-credentials',
  '.bash_history',
  '.zsh_history',
  '.psql_history',
  '.mysql_history',
  '.node_repl_history',
  '.python_history',
  '.secrets',
  'secrets.json',
  'secrets.yml',
  'secrets.yaml',
  'secrets.toml',
  'service-account*.json',
  'service_account*.json',
  'serviceaccount*.json',
  // The runtime's own: secrets, tokens, and a store that keeps exact inputs and file contents.
  '.toolcrib/secret*',
  '.toolcrib/token*',
  '.toolcrib/*.db*',
  '.toolcrib/*.sqlite*',
];

/** Secret unless the name says that it is only a model to copy from. */
export const ENVIRONMENT_FILES: readonly string[] = ['.env', '.env.*', '.env-*', '.env_*', '*.env'];
const MODEL_ENDINGS: readonly string[] = ['.example', '.sample', '.template'];

/** Secret unless it is source text about credentials; a folder of that name may be listed. */
export const CREDENTIAL_FILES: readonly string[] = [
  'credentials*',
  '.credentials*',
  '*credentials.json',
  '*credentials.yml',
  '*credentials.yaml',
  '*credentials.toml',
];
const SOURCE_ENDINGS: readonly string[] = [
  ...['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte'],
  ...['.py', '.go', '.rs', '.java', '.kt', '.scala', '.rb', '.php', '.cs', '.swift', '.ex'],
  ...['.c', '.h', '.cc', '.cpp', '.hpp', '.md', '.mdx', '.rst', '.html', '.css', '.scss'],
  ...MODEL_ENDINGS,
];

/** Read, but never written by a tool, not even when they do not exist yet. */
export const WRITE_PROTECTED: readonly string[] = [
  '.toolcrib',
  '.toolcrib-tmp-*',
  '.git',
  '.gitconfig',
  '.ripgreprc',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.logout',
  '.inputrc',
  '.xprofile',
  '.xinitrc',
  '.xsession',
  '.xsessionrc',
  '.pam_environment',
  '.gdbinit',
  '.lldbinit',
  '.curlrc',
  '.wgetrc',
  '.config/fish',
  '.config/git',
  '.config/autostart',
  '.config/systemd',
  '.config/environment.d',
  'library/launchagents',
  // What Windows also calls .git and .toolcrib.
  'git~*',
  'toolcr~*',
];

/**
 * The name a file system may take a segment for: case, width, ignorable characters, trailing dots
 * and blanks, and streams after a colon do not count on one system or another.
 */
const folded = (segment: string): string =>
  segment
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/(?<=.):.*$/s, '')
    .replace(/[. ]+$/, '');

/** `*` only, without a regular expression: no pattern of a user can make it slow. */
const fits = (pattern: string, name: string): boolean => {
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.pop();
  if (tail === undefined) return name === head;
  if (!name.startsWith(head)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - tail.length >= at && name.endsWith(tail);
};

/** Where in the names the pattern's segments follow each other, from `start` on; -1 if nowhere. */
const findRun = (pattern: string, names: readonly string[], start: number): number => {
  const parts = pattern.split('/');
  for (let at = Math.max(0, start - parts.length + 1); at + parts.length <= names.length; at += 1) {
    if (parts.every((part, index) => fits(part, names[at + index] as string))) return at;
  }
  return -1;
};

const matching = (
  patterns: readonly string[],
  names: readonly string[],
  start = 0,
): string | undefined => patterns.find((pattern) => findRun(pattern, names, start) >= 0);

const foldedAll = (segments: readonly string[]): readonly string[] =>
  segments.flatMap((segment) => segment.split(/[\\/]/)).map(folded);

export interface NamedPath {
  /** The segments of the root the path lies below. */
  readonly above: readonly string[];
  readonly below: readonly string[];
  readonly isFolder: boolean;
}

/** The rule that makes a path secret, or `undefined`. */
export const sensitiveRule = ({ above, below, isFolder }: NamedPath): string | undefined => {
  const inside = foldedAll(below);
  const outside = foldedAll(above);
  const names = [...outside, ...inside];
  const last = inside.at(-1) ?? '';
  const ends = (endings: readonly string[]) => endings.some((ending) => last.endsWith(ending));
  return (
    matching(SENSITIVE_FOLDERS, names) ??
    matching(SENSITIVE_FILES, names, outside.length) ??
    (ends(MODEL_ENDINGS) ? undefined : matching(ENVIRONMENT_FILES, names, outside.length)) ??
    (isFolder || ends(SOURCE_ENDINGS)
      ? undefined
      : matching(CREDENTIAL_FILES, names, outside.length))
  );
};

/** The rule that keeps a path, given by its segments below a root, from being written. */
export const protectedRule = (
  below: readonly string[],
  more: readonly string[] = [],
): string | undefined =>
  matching([...WRITE_PROTECTED, ...more.map((name) => name.toLowerCase())], foldedAll(below));
