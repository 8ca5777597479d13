/** Tells by its name what a field of an input is for: its text is judged as a path, command, URL or header. */

export type FieldKind = 'path' | 'command' | 'arguments' | 'url' | 'header' | 'name';

/** Without the `s` of a plural, which is removed from names: `directories` becomes `directorie`. */
const WORDS: ReadonlyMap<string, FieldKind> = new Map([
  ...each('path', ['path', 'file', 'filename', 'filepath', 'dir', 'directory', 'folder', 'cwd']),
  ...each('path', ['directorie', 'glob', 'pathname', 'workdir']),
  ...each('command', ['command', 'cmd', 'commandline', 'program', 'executable', 'script', 'shell']),
  ...each('arguments', ['arg', 'argv', 'argument']),
  ...each('url', ['url', 'uri', 'href', 'endpoint', 'host', 'hostname', 'webhook', 'origin']),
  ...each('header', ['header', 'cookie', 'cc', 'bcc', 'subject', 'recipient']),
  ...each('name', ['name', 'id', 'branch', 'package', 'user', 'username', 'tool', 'key']),
]);

/** Common as whole names, but no sign of anything as the end of a longer one. */
const WHOLE_NAMES: ReadonlyMap<string, FieldKind> = new Map(
  each('header', ['to', 'from', 'replyto', 'useragent', 'contenttype', 'authorization', 'referer']),
);

function each(kind: FieldKind, words: readonly string[]): [string, FieldKind][] {
  return words.map((word) => [word, kind]);
}

const LAST_WORD = /(?:[A-Z]+|[A-Z]?[a-z0-9]+)$/;

/**
 * Reads the kind of a field from its name: `filePath`, `FILE_PATH`, `file-paths` and `path` are all
 * paths.
 */
export const fieldKindOf = (key: string): FieldKind | undefined => {
  const singular = key.endsWith('s') || key.endsWith('S') ? key.slice(0, -1) : key;
  const whole = singular.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  const last = LAST_WORD.exec(singular)?.[0].toLowerCase();
  return WHOLE_NAMES.get(whole) ?? WORDS.get(whole) ?? (last ? WORDS.get(last) : undefined);
};
