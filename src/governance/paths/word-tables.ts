/**
 * Words by which the name of a file says that it holds secrets, and what tells others with such a word
 * apart: written as in `name-tables.ts`.
 */
import { type NameEntry, SOURCE_ENDINGS } from './name-tables.ts';

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
  ['*passphrase*', 'passwords by its name'],
  ['*-credentials', 'credentials by its name'],
  ['*.credentials', 'credentials by its name'],
  ['creds', 'credentials by its name'],
  ['pw.txt', 'passwords by its name'],
  ['logins.txt', 'passwords by its name'],
  ['logins.csv', 'passwords by its name'],
  ['*master_key', 'key by its name'],
  ['*master-key', 'key by its name'],
  ['*encryption_key', 'key by its name'],
  ['*encryption-key', 'key by its name'],
  ['*_key.txt', 'key by its name'],
  ['*-key.txt', 'key by its name'],
  ['*.pem.txt', 'key'],
  ['*.key.txt', 'key'],
  ['pass.txt', 'passwords by its name'],
  ['pwd.txt', 'passwords by its name'],
  ['token', 'token by its name'],
  ['.token', 'token by its name'],
  ['token.txt', 'token by its name'],
  ['*_token', 'token by its name'],
  ['*-token', 'token by its name'],
  ['*.token', 'token by its name'],
  ['*_token.txt', 'token by its name'],
  ['*-token.txt', 'token by its name'],
  ['access_token.json', 'token by its name'],
  ['refresh_token.json', 'token by its name'],
  ['*recovery-codes.txt', 'codes that stand for a password'],
  ['*recovery_codes.txt', 'codes that stand for a password'],
  ['*backup-codes.txt', 'codes that stand for a password'],
  ['*backup_codes.txt', 'codes that stand for a password'],
  ['mnemonic', 'words of a wallet'],
  ['mnemonic.txt', 'words of a wallet'],
  ['seed.txt', 'words of a wallet'],
  ['seed-phrase.txt', 'words of a wallet'],
  ['seed_phrase.txt', 'words of a wallet'],
  ['*deploy_key', 'key by its name'],
  ['*deploy-key', 'key by its name'],
  ['*signing_key', 'key by its name'],
  ['*signing-key', 'key by its name'],
  ['*_rsa', 'SSH key'],
  ['*_ed25519', 'SSH key'],
  ['*_ecdsa', 'SSH key'],
  ['*.rsa', 'key'],
  ['shadow', 'password hashes of a system'],
  ['shadow-', 'password hashes of a system'],
  ['shadow.*', 'password hashes of a system'],
  ['gshadow', 'password hashes of a system'],
  ['gshadow-', 'password hashes of a system'],
  ['gshadow.*', 'password hashes of a system'],
  ['spwd.db', 'password hashes of a system'],
  ['*service-account*.json', 'key of a service account'],
  ['*service_account*.json', 'key of a service account'],
  ['*serviceaccount*.json', 'key of a service account'],
  ['key.json', 'key of Google Cloud'],
];

/** Other words that contain one of these words, and names of files about them. */
export const HARMLESS_WORDS: readonly NameEntry[] = [
  ['*secretar*', 'a secretary, a secretariat'],
  ['*secret*santa*', 'a game'],
  ['*secretion*', 'a word of biology'],
  ['*secretlint*', 'a program that looks for secrets'],
  ['*secrets.baseline', 'what a program that looks for secrets has found, as hashes'],
  ['*detect-secrets*', 'a program that looks for secrets'],
  ['*secret-scan*', 'a program that looks for secrets'],
  ['*password*strength*', 'rules for passwords'],
  ['*password*rules*', 'rules for passwords'],
  ['*password*policy*', 'rules for passwords'],
  ['*.schema.json', 'a description of fields'],
  ['*service-account-role*', 'a list of permissions'],
  ['*service-account-polic*', 'a list of permissions'],
  ['*service-account-permission*', 'a list of permissions'],
  ['*service-account-binding*', 'who has which role'],
  ['*service-account-schema*', 'a description of fields'],
  ['*service_account_role*', 'a list of permissions'],
  ['*service_account_polic*', 'a list of permissions'],
  ['*service_account_permission*', 'a list of permissions'],
  ['*service_account_binding*', 'who has which role'],
  ['*service_account_schema*', 'a description of fields'],
  ['*serviceaccountrole*', 'a list of permissions'],
  ['*serviceaccountpolic*', 'a list of permissions'],
  ['*serviceaccountpermission*', 'a list of permissions'],
  ['*serviceaccountbinding*', 'who has which role'],
  ['*serviceaccountschema*', 'a description of fields'],
];

/** Names that programs have as well, when they lie in a folder of programs. */
export const PROGRAM_NAMES: readonly NameEntry[] = [
  ['token', 'reads or makes tokens'],
  ['*_token', 'reads or makes tokens'],
  ['*-token', 'reads or makes tokens'],
  ['*-password', 'sets a password'],
  ['*-passwords', 'sets passwords'],
  ['*-secret', 'makes a secret'],
  ['*-secrets', 'makes secrets'],
  ['*-api-key', 'makes a key'],
  ['*-deploy-key', 'makes a key'],
  ['*-signing-key', 'makes a key'],
];

/** Folders of programs and of source text: directly in them people keep no tokens. */
export const PROGRAM_FOLDERS: readonly NameEntry[] = [
  ['bin', 'programs'],
  ['script', 'programs'],
  ['scripts', 'programs'],
  ['cmd', 'programs of Go'],
  ['lexer', 'source text of a language'],
  ['parser', 'source text of a language'],
  ['syntax', 'source text of a language'],
];

/** Endings of source, pages, pictures and translations: such a file is about the word in its name. */
export const WORDED_ENDINGS: readonly string[] = [
  ...SOURCE_ENDINGS,
  ...['.exs', '.erl', '.hs', '.ml', '.clj', '.dart', '.lua', '.pl', '.r', '.m', '.mm', '.zig'],
  ...['.sh', '.bash', '.zsh', '.fish', '.ps1', '.bat', '.sql', '.tf', '.proto', '.graphql'],
  ...['.tmpl', '.j2', '.mustache', '.liquid', '.astro', '.njk', '.sol', '.groovy', '.nix'],
  ...['.png', '.jpg', '.jpeg', '.gif', '.svg', '.webp', '.ico', '.pdf', '.snap', '.feature'],
  ...['.less', '.sass', '.po', '.pot', '.strings', '.adoc', '.d.ts', '.gradle', '.lock'],
  ...['.glsl', '.vert', '.frag', '.hlsl', '.wgsl'],
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
  ['openapi', 'descriptions of interfaces'],
  ['schemas', 'descriptions of fields'],
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
  ['.envs', 'variables with secrets'],
];
