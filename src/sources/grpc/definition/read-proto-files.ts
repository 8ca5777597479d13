/**
 * Reads proto files and those that they import. An import cannot leave the folders that the
 * configuration names.
 */
import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { ToolFailure } from '../../../contract/errors.ts';
import { invalidSetting } from '../../../kit/data/coded-failures.ts';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type DataWork, runDataWork } from '../../../kit/work/data-work.ts';
import type { FileDescriptor } from './descriptors.ts';
import { KNOWN_FILES } from './known-types.ts';
import type { ParsedProto, ProtoText } from './proto-work.ts';

const MAX_FILES = 2000;
export const MAX_PROTO_BYTES = 32_000_000;
const MAX_SHOWN = 300;
const SMALL_TEXT = 64_000;
const MAX_MS = 60_000;
const MEMORY_MB = 1024;

export interface ProtoFilesDeps {
  readonly signal: AbortSignal;
  /** Returns the absolute path of a file that the settings name. */
  absolutePath(path: string): string;
  readFile(path: string): Promise<Uint8Array>;
}

export interface ReadProtoFiles {
  readonly files: readonly FileDescriptor[];
  /** Absolute. */
  readonly paths: readonly string[];
  /** Imports that no folder has; they matter only where a type is missing. */
  readonly missing: readonly string[];
}

const assertInside = (name: string): void => {
  const isSound = !/^[/\\]|^[A-Za-z]:|[\\\0]/.test(name) && !name.split('/').includes('..');
  if (isSound) return;
  throw invalidSetting(
    `The import ${visibleText(name.slice(0, MAX_SHOWN))} leaves its folder.`,
    'Name the folder that it lies in with includeDirs, and import it from there.',
  );
};

/** Finds an import in one of the folders; a link cannot lead out of them. */
const findImport = async (
  name: string,
  folders: readonly string[],
): Promise<string | undefined> => {
  assertInside(name);
  for (const folder of folders) {
    try {
      const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, name))]);
      if (!path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) {
        throw invalidSetting(
          'An import leaves its folder by a link.',
          'Copy the file into the folder.',
        );
      }
      return join(folder, name);
    } catch (error) {
      if (errorCodeOf(error) !== 'ENOENT' && errorCodeOf(error) !== 'ENOTDIR') throw error;
    }
  }
  return undefined;
};

/** In a process of its own where it is not small: the author of a file may mean it to take long. */
const PARSING: DataWork<ProtoText, ParsedProto> = {
  what: 'proto file',
  file: 'proto-work',
  from: import.meta.url,
  load: () => import('./proto-work.ts'),
  isSmall: ({ text }) => text.length <= SMALL_TEXT,
  maxMs: MAX_MS,
  memoryMb: MEMORY_MB,
  code: 'CONFIG_INVALID',
};

const readText = async (path: string, { readFile }: ProtoFilesDeps): Promise<string> => {
  try {
    return Buffer.from(await readFile(path)).toString('utf8');
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error;
    throw new ToolFailure('NOT_FOUND', `There is no proto file ${visibleText(path)}.`, {
      suggestions: ['Paths start at the project.'],
    });
  }
};

/** Fails with CONFIG_INVALID or NOT_FOUND, naming the file. */
export const readProtoFiles = async (
  proto: readonly string[],
  includeDirs: readonly string[],
  deps: ProtoFilesDeps,
): Promise<ReadProtoFiles> => {
  const roots = proto.map((path) => deps.absolutePath(path));
  const named = includeDirs.map((path) => deps.absolutePath(path));
  const folders = [...new Set([...named, ...roots.map((path) => dirname(path))])];
  const files = new Map<string, FileDescriptor>();
  const missing = new Set<string>();
  const open = [...new Set(roots)];
  let bytes = 0;
  for (const path of open) {
    const text = await readText(path, deps);
    bytes += text.length;
    if (bytes > MAX_PROTO_BYTES || open.length > MAX_FILES) {
      throw invalidSetting(
        `More than ${MAX_FILES} files or ${MAX_PROTO_BYTES} bytes.`,
        'Name fewer files.',
      );
    }
    const { file, imports } = await runDataWork(PARSING, { text, path }, deps.signal);
    files.set(path, file);
    for (const name of imports) {
      if (KNOWN_FILES.has(name)) continue;
      const next = await findImport(name, folders);
      if (next === undefined) missing.add(name);
      else if (!open.includes(next)) open.push(next);
    }
  }
  return { files: [...files.values()], paths: open, missing: [...missing] };
};
