/**
 * The names of files that nobody may read because they hold secrets. An entry a line, each with its
 * reason. `*` stands for any run of characters within one segment, `/` joins segments that must
 * follow each other, and case never matters.
 */

export type NameEntry = readonly [name: string, why: string];

/** Folders whose whole content is secret, wherever they lie: also as, or above, an allowed root. */
export const SECRET_FOLDERS: readonly NameEntry[] = [
  ['.ssh', 'private keys and known hosts'],
  ['.aws', 'access keys of AWS'],
  ['.azure', 'tokens of Azure'],
  ['.gnupg', 'private keys of GnuPG'],
  ['.password-store', 'passwords of pass'],
  ['.oci', 'keys of Oracle Cloud'],
  ['.config/gcloud', 'tokens of Google Cloud'],
  ['.config/gh', 'token of the GitHub command line'],
  ['.config/hub', 'token of hub'],
  ['.config/op', '1Password'],
  ['.config/rclone', 'credentials of rclone'],
  ['.local/share/keyrings', 'keyrings of the desktop'],
  ['library/keychains', 'keychains of macOS'],
];

/** Files, or folders below a root, that hold keys, tokens or passwords. */
export const SECRET_FILES: readonly NameEntry[] = [
  ['.envrc', 'variables of direnv'],
  ['id_rsa*', 'SSH key'],
  ['id_dsa*', 'SSH key'],
  ['id_ecdsa*', 'SSH key'],
  ['id_ed25519*', 'SSH key'],
  ['*.pem', 'key or certificate'],
  ['*.key', 'key'],
  ['*.p8', 'key'],
  ['*.p12', 'key store'],
  ['*.pfx', 'key store'],
  ['*.ppk', 'key of PuTTY'],
  ['*.jks', 'key store of Java'],
  ['*.keystore', 'key store'],
  ['*.kdb', 'KeePass'],
  ['*.kdbx', 'KeePass'],
  ['*.agekey', 'key of age'],
  ['*.keychain', 'keychain of macOS'],
  ['*.keychain-db', 'keychain of macOS'],
  ['.netrc', 'passwords by host'],
  ['_netrc', 'passwords by host'],
  ['.npmrc', 'tokens of npm registries'],
  ['.pypirc', 'tokens of PyPI'],
  ['.pgpass', 'passwords of PostgreSQL'],
  ['.my.cnf', 'password of MySQL'],
  ['.htpasswd', 'password hashes'],
  ['.boto', 'keys of AWS or Google'],
  ['.s3cfg', 'keys of S3'],
  ['.dockercfg', 'logins of registries'],
  ['.docker/config.json', 'logins of registries'],
  ['.kube/config', 'credentials of clusters'],
  ['.m2/settings.xml', 'passwords of Maven'],
  ['.terraformrc', 'tokens of Terraform'],
  ['*.tfvars', 'variables of Terraform, passwords among them'],
  ['*.tfvars.json', 'variables of Terraform'],
  ['*.tfstate', 'state of Terraform, with every secret it made'],
  ['*.tfstate.backup', 'state of Terraform'],
  ['kubeconfig', 'credentials of clusters'],
  ['kubeconfig.*', 'credentials of clusters'],
  ['*.kubeconfig', 'credentials of clusters'],
  ['rclone.conf', 'credentials of rclone'],
  ['token.json', 'token by its name'],
  ['auth.json', 'logins of Composer, npm and other programs'],
  ['gcp-key*.json', 'key of Google Cloud'],
  ['logins.json', 'passwords of a browser'],
  ['key4.db', 'key of the passwords of a browser'],
  ['wallet.dat', 'keys of a wallet'],
  ['vault.yml', 'secrets of Ansible'],
  ['vault.yaml', 'secrets of Ansible'],
  ['.vault-token', 'token of Vault'],
  ['.vault_pass*', 'password of Ansible'],
  ['.vault-pass*', 'password of Ansible'],
  ['*.keytab', 'keys of Kerberos'],
  ['*.ovpn', 'keys of a VPN'],
  ['*.jceks', 'key store of Java'],
  ['*.bks', 'key store of Android'],
  ['.mylogin.cnf', 'passwords of MySQL'],
  ['.databrickscfg', 'tokens of Databricks'],
  ['.sentryclirc', 'token of Sentry'],
  ['.dockerconfigjson', 'logins of registries'],
  ['.msmtprc', 'password of a mail account'],
  ['.fetchmailrc', 'password of a mail account'],
  ['.erlang.cookie', 'the key to nodes of Erlang'],
  ['kaggle.json', 'token of Kaggle'],
  ['cookies.sqlite', 'sessions of a browser'],
  ['key3.db', 'key of the passwords of a browser'],
  ['.git-credentials', 'passwords of git'],
  ['.bash_history', 'commands typed, passwords among them'],
  ['.zsh_history', 'commands typed'],
  ['.psql_history', 'statements typed'],
  ['.mysql_history', 'statements typed'],
  ['.node_repl_history', 'code typed'],
  ['.python_history', 'code typed'],
  ['.sqlite_history', 'statements typed'],
  ['.rediscli_history', 'statements typed'],
  ['.irb_history', 'code typed'],
  ['fish_history', 'commands typed'],
  ['.secrets', 'secrets by its name'],
  ['secrets.json', 'secrets by its name'],
  ['secrets.yml', 'secrets by its name'],
  ['secrets.yaml', 'secrets by its name'],
  ['secrets.toml', 'secrets by its name'],
  ['service-account*.json', 'key of a service account'],
  ['service_account*.json', 'key of a service account'],
  ['serviceaccount*.json', 'key of a service account'],
  ['.toolcrib/secret*', 'secrets of the runtime itself'],
  ['.toolcrib/token*', 'tokens of the runtime itself'],
  ['.toolcrib/*.db*', 'the store, with exact inputs and file contents'],
  ['.toolcrib/*.sqlite*', 'the store'],
];

/** Secret unless the name says that it is only a model to copy from. */
export const ENVIRONMENT_FILES: readonly NameEntry[] = [
  ['.env', 'variables with secrets'],
  ['.env.*', 'variables with secrets'],
  ['.env-*', 'variables with secrets'],
  ['.env_*', 'variables with secrets'],
  ['.env~', 'copy of an editor'],
  ['env.prod*', 'variables with secrets'],
  ['*.env', 'variables with secrets'],
];
export const MODEL_ENDINGS: readonly string[] = ['.example', '.sample', '.template'];

/** Secret unless it is source text about credentials; a folder of that name may be listed. */
export const CREDENTIAL_FILES: readonly NameEntry[] = [
  ['credentials*', 'credentials by its name'],
  ['.credentials*', 'credentials by its name'],
  ['*credentials.json', 'credentials by its name'],
  ['*credentials.yml', 'credentials by its name'],
  ['*credentials.yaml', 'credentials by its name'],
  ['*credentials.toml', 'credentials by its name'],
];
export const SOURCE_ENDINGS: readonly string[] = [
  ...['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.vue', '.svelte'],
  ...['.py', '.go', '.rs', '.java', '.kt', '.scala', '.rb', '.php', '.cs', '.swift', '.ex'],
  ...['.c', '.h', '.cc', '.cpp', '.hpp', '.md', '.mdx', '.rst', '.html', '.css', '.scss'],
  ...MODEL_ENDINGS,
];

/**
 * Secret by a word in the name of the file itself, unless it is source, a page, a picture or a
 * translation about the subject: those are named after passwords more often than they hold one.
 */
export const SECRET_WORDS: readonly NameEntry[] = [
  ['*secret*', 'secrets by its name'],
  ['*password*', 'passwords by its name'],
  ['*passwd*', 'passwords by its name'],
  ['*private_key*', 'private key by its name'],
  ['*private-key*', 'private key by its name'],
  ['*privatekey*', 'private key by its name'],
  ['*api_key*', 'key by its name'],
  ['*api-key*', 'key by its name'],
  ['*apikey*', 'key by its name'],
  ['shadow', 'password hashes of a system'],
  ['shadow-', 'password hashes of a system'],
  ['shadow.*', 'password hashes of a system'],
  ['gshadow', 'password hashes of a system'],
  ['gshadow-', 'password hashes of a system'],
  ['gshadow.*', 'password hashes of a system'],
  ['spwd.db', 'password hashes of a system'],
];
/** Other words that hold such a word. */
export const HARMLESS_WORDS: readonly NameEntry[] = [
  ['*secretar*', 'a secretary, a secretariat'],
  ['*secret*santa*', 'a game'],
  ['*secretion*', 'a word of biology'],
];
export const WORDED_ENDINGS: readonly string[] = [
  ...SOURCE_ENDINGS,
  ...['.exs', '.erl', '.hs', '.ml', '.clj', '.dart', '.lua', '.pl', '.r', '.m', '.mm', '.zig'],
  ...['.sh', '.bash', '.zsh', '.fish', '.ps1', '.bat', '.sql', '.tf', '.proto', '.graphql'],
  ...['.hbs', '.ejs', '.erb', '.twig', '.tmpl', '.j2', '.mustache', '.liquid', '.astro', '.pug'],
  ...['.png', '.jpg', '.jpeg', '.gif', '.svg', '.webp', '.ico', '.pdf', '.snap', '.feature'],
  ...['.less', '.sass', '.po', '.pot', '.strings', '.adoc', '.d.ts', '.gradle', '.lock'],
];
/** Folders of templates, translations and workflows, whose files name secrets and hold none. */
export const WORDED_FOLDERS: readonly NameEntry[] = [
  ['templates', 'charts and pages with places to fill in'],
  ['locales', 'translations'],
  ['locale', 'translations'],
  ['lang', 'translations'],
  ['i18n', 'translations'],
  ['translations', 'translations'],
  ['.github', 'workflows, which name secrets and hold none'],
];

/**
 * Folders whose files are secret unless they are source text: people keep keys in them, and also name
 * the code after them that deals with keys. The folder itself may be listed.
 */
export const SECRET_DATA_FOLDERS: readonly NameEntry[] = [
  ['secrets', 'secrets by its name'],
  ['private_keys', 'private keys by its name'],
  ['private-keys', 'private keys by its name'],
  ['privatekeys', 'private keys by its name'],
  ['private_key', 'private keys by its name'],
  ['private-key', 'private keys by its name'],
  ['ssh_keys', 'private keys by its name'],
  ['ssh-keys', 'private keys by its name'],
  ['api_keys', 'keys by its name'],
  ['api-keys', 'keys by its name'],
  ['apikeys', 'keys by its name'],
  ['passwords', 'passwords by its name'],
  ['creds', 'credentials by its name'],
  ['.creds', 'credentials by its name'],
];
