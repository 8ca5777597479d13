/** Rewrites the file of another program so that Toolcrib is its only server. Pure. */
import type { ClientName } from './client-files.ts';
import type { JsoncNode } from './parse-jsonc.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Additional environment variables of the program. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Rewriting {
  readonly lists: readonly JsoncNode[];
  readonly client: ClientName | undefined;
  readonly launch: Launch;
  /** Tells whether a server, by its foreign name, could not be imported and stays. */
  readonly stays: (foreignName: string) => boolean;
}

const entryFor = (client: ClientName | undefined, { command, args, env }: Launch): object => {
  if (client === 'opencode') {
    return { type: 'local', command: [command, ...args], ...(env && { environment: env }) };
  }
  const entry = { command, args, ...(env && { env }) };
  if (client === 'vscode') return { type: 'stdio', ...entry };
  return client === 'zed' ? { source: 'custom', ...entry } : entry;
};

/** Gives the indentation of the line at an offset. */
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';

const listText = (text: string, list: JsoncNode, entries: readonly string[]): string => {
  if (entries.length === 0) return '{}';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const outer = indentAt(text, list.start);
  const unit = outer.includes('\t') ? '\t' : '  ';
  const lines = entries.map((entry) => `${outer}${unit}${entry}`);
  return `{${eol}${lines.join(`,${eol}`)}${eol}${outer}}`;
};

/** Leaves every character outside of the lists as it is. */
export const rewriteClientText = (
  text: string,
  { lists, client, launch, stays }: Rewriting,
): string => {
  const [first] = lists;
  const edits = lists.map((list) => {
    const remaining = (list.members ?? [])
      .filter(({ key }) => stays(key))
      .map(({ keyStart, value }) => text.slice(keyStart, value.end));
    const entry = `"toolcrib": ${JSON.stringify(entryFor(client, launch))}`;
    return {
      list,
      piece: listText(text, list, list === first ? [entry, ...remaining] : remaining),
    };
  });
  // From the end, so that the offsets before stay valid.
  return edits
    .toSorted((a, b) => b.list.start - a.list.start)
    .reduce(
      (whole, { list, piece }) => whole.slice(0, list.start) + piece + whole.slice(list.end),
      text,
    );
};
