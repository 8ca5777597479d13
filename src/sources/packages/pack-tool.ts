/** Makes a package of a tool: the file of the tool, the files that it imports, and a `package.json`. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { valid } from 'semver';
import { ToolFailure } from '../../contract/errors.ts';
import type { PackOptions } from '../../contract/packages.ts';
import type { Tool } from '../../contract/tool.ts';
import { writeTar } from '../../kit/archive/write-tar.ts';
import type { PackageFiles } from './package-manifest.ts';
import { isPackageName } from './package-spec.ts';

const FOLDER = 'tools';
const FILE_MODE = 0o644;

export interface ToolToPack {
  readonly tool: Tool;
  /** The file of the tool among the files. */
  readonly file: string;
  /** It and what it imports. */
  readonly files: PackageFiles;
}

export interface PackedTool {
  readonly name: string;
  readonly version: string;
  readonly tarball: Uint8Array;
  readonly files: readonly string[];
}

const wrong = (option: string, message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `${option}: ${message}.`, {
    issues: [{ path: [option], message }],
  });

/** Makes a name of the registry from the name of a tool. */
const nameFor = (tool: string): string => tool.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const manifestOf = ({ tool, file }: ToolToPack, { name, version }: PackOptions) => {
  const own = { name: name ?? nameFor(tool.name), version: version ?? tool.version };
  if (!isPackageName(own.name)) throw wrong('name', 'has to be a name of the npm registry');
  if (valid(own.version) !== own.version)
    throw wrong('version', 'has to be a version such as 1.0.0');
  return {
    ...own,
    description: tool.description.split('\n')[0] ?? '',
    ...(tool.author !== undefined && { author: tool.author }),
    ...(tool.license !== undefined && { license: tool.license }),
    type: 'module',
    toolcrib: { tools: [`${FOLDER}/${file}`] },
  };
};

/** Packs a tool. The same files make the same bytes. */
export const packTool = async (packed: ToolToPack, options: PackOptions): Promise<PackedTool> => {
  const manifest = manifestOf(packed, options);
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  const contents = new Map<string, Uint8Array>([
    ['package.json', new TextEncoder().encode(text)],
    ...[...packed.files].map(([path, bytes]) => [`${FOLDER}/${path}`, bytes] as const),
  ]);
  const paths = [...contents.keys()].toSorted();
  const entries = paths.map((path) => ({
    path: `package/${path}`,
    read: async () => contents.get(path) ?? new Uint8Array(),
  }));
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTar(entries, FILE_MODE)) pieces.push(piece);
  const tarball = await promisify(gzip)(Buffer.concat(pieces));
  return { name: manifest.name, version: manifest.version, tarball, files: paths };
};
