/** Marks a tool of others whose code runs here: the lock of tools compares the digest of that code. */
import type { Tool } from '../../contract/tool.ts';
import { sha256Hex } from '../data/canonical-json.ts';

const FILE_TAG = 'file:';
const YAML = /\.ya?ml$/i;

export interface CodeOrigin {
  readonly source: 'package' | 'team';
  /** Added to the tags of the tool. */
  readonly tags: readonly string[];
  /** All files that came with it, by path. */
  readonly files: ReadonlyMap<string, Uint8Array | string>;
}

/** Hashes what can become the code of a tool: its file, and every file that it can import. */
const codeDigest = ({ files }: CodeOrigin, file: string): string => {
  const code = [...files]
    .filter(([path]) => path === file || (path !== 'package.json' && !YAML.test(path)))
    .map(([path, content]) => [path, sha256Hex(content)] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `sha256:${sha256Hex(JSON.stringify(code))}`;
};

/** Gives the tool with the digest of its code, and with its origin in place of the name of its file. */
export const withCodeDigest = (tool: Tool, origin: CodeOrigin): Tool => {
  const tags = tool.tags ?? [];
  const file = tags.find((tag) => tag.startsWith(FILE_TAG))?.slice(FILE_TAG.length) ?? '';
  const own = tags.filter((tag) => !tag.startsWith(FILE_TAG));
  return {
    ...tool,
    source: origin.source,
    tags: [...own, ...origin.tags],
    codeDigest: codeDigest(origin, file),
  };
};
