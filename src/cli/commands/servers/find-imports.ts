/** Reads the server lists of other programs on this machine. Changes nothing. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { homeOf } from '../../../config/load/find-config-files.ts';
import { readConfigText } from '../../../config/load/read-config-file.ts';
import {
  type ClientFile,
  type ClientName,
  clientFiles,
  clientOfPath,
} from '../../../config/mcp-import/client-files.ts';
import { type ClientReading, readClientText } from '../../../config/mcp-import/read-client-text.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io } from '../../io.ts';

/** Large, because Claude Code keeps its history in the same file. */
const MAX_BYTES = 32 * 1024 * 1024;

export interface FoundFile {
  readonly client: ClientName | undefined;
  readonly file: string;
  readonly isProject: boolean;
  readonly text: string;
  /** `undefined` when it cannot be read; then `fault` says why. */
  readonly reading: ClientReading | undefined;
  readonly fault?: string;
}

interface ImportOptions {
  /** Files named by the user; when empty, the known locations are searched. */
  readonly files: readonly string[];
  readonly from: ClientName | undefined;
}

type Candidate = Omit<ClientFile, 'client'> & { readonly client: ClientName | undefined };

const candidates = (io: Io, { files, from }: ImportOptions): readonly Candidate[] => {
  if (files.length > 0) {
    return files.map((name) => {
      const file = resolve(io.cwd, name);
      return { client: from ?? clientOfPath(file), file, isProject: false };
    });
  }
  const home = homeOf(io.env) || homedir();
  const all = clientFiles({ cwd: io.cwd, env: io.env, home, platform: process.platform });
  return from === undefined ? all : all.filter(({ client }) => client === from);
};

const readOne = async (io: Io, candidate: Candidate): Promise<FoundFile | undefined> => {
  const { file, client } = candidate;
  const { text, fault } = await readConfigText(file, { maxBytes: MAX_BYTES });
  if (fault !== undefined) return { ...candidate, text: '', reading: undefined, fault };
  if (text === undefined) return undefined;
  try {
    const context = { client, home: homeOf(io.env), folder: io.cwd };
    return { ...candidate, text, reading: readClientText(text, context) };
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'JsoncFault') throw error;
    return {
      ...candidate,
      text: '',
      reading: undefined,
      fault: `is not ${client === 'codex' ? 'TOML' : 'JSON'} (${message})`,
    };
  }
};

/** Makes the failure for a named file that cannot be read. Files in known locations are skipped instead. */
const unreadable = ({ file, fault }: FoundFile): ToolFailure =>
  misuse(
    'A file that was named cannot be read. Nothing was changed.',
    `Look at ${file}: it ${fault}`,
  );

/** Reads the files. A named one fails with NOT_FOUND, or with VALIDATION_ERROR when it holds no server list. */
export const findImports = async (
  io: Io,
  options: ImportOptions,
): Promise<readonly FoundFile[]> => {
  const files: FoundFile[] = [];
  for (const candidate of candidates(io, options)) {
    const read = await readOne(io, candidate);
    if (read?.fault !== undefined && options.files.length > 0) throw unreadable(read);
    if (read) files.push(read);
    else if (options.files.length > 0) {
      throw new ToolFailure('NOT_FOUND', 'A file that was named does not exist.', {
        suggestions: [
          `There is no ${candidate.file}`,
          'Name no file to search the known locations: toolcrib servers import',
        ],
      });
    }
  }
  return files;
};
