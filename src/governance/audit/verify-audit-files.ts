/** Verifies archives and exports, alone or before the trail they were cut from, as one chain. */
import { createReadStream } from 'node:fs';
import type {
  AuditCheckpoint,
  AuditLog,
  AuditRow,
  AuditVerification,
} from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { parseAnchorLine, parseAuditLine } from './audit-line.ts';
import { type UnreadableRow, type VerifyLogOptions, verifyAudit } from './verify-audit.ts';

export interface AuditFile {
  /** Where its rows begin, when the trail was pruned before. */
  readonly anchor: AuditCheckpoint | undefined;
  /** The number of its first row; `Infinity` when it has none that can be read. */
  readonly firstSeq: number;
  rows(): AsyncIterable<readonly (AuditRow | UnreadableRow)[]>;
}

const NEW_LINE = 0x0a;
const PAGE = 500;
/** Far above the largest row. */
const MAX_LINE_LENGTH = 128 * 1024 * 1024;

/** Splits a file by line feeds alone: JSON has U+2028 unescaped, which ends no line here. */
async function* linesOf(file: string, longest: number): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]);
      rest = [];
      size = 0;
      from = at + 1;
    }
    rest.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > longest) break;
  }
  if (size > 0) yield Buffer.concat(rest);
}

const decode = (line: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    return undefined;
  }
};

async function* rowsOf(file: string, skip: number, longest: number) {
  let page: (AuditRow | UnreadableRow)[] = [];
  let number = 0;
  for await (const line of linesOf(file, longest)) {
    number += 1;
    if (number <= skip) continue;
    const text = decode(line);
    const row = text === undefined ? undefined : parseAuditLine(text);
    page.push(
      row ?? { unreadable: `Line ${number} of the file is not a row as Toolcrib writes it` },
    );
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}

const firstLines = async (file: string, longest: number): Promise<readonly string[]> => {
  const lines: string[] = [];
  for await (const line of linesOf(file, longest)) {
    lines.push(decode(line) ?? '');
    if (lines.length === 2) break;
  }
  return lines;
};

/** Opens an export or an archive. Throws NOT_FOUND when it cannot be read. */
export const openAuditFile = async (
  file: string,
  longest = MAX_LINE_LENGTH,
): Promise<AuditFile> => {
  let lines: readonly string[];
  try {
    lines = await firstLines(file, longest);
  } catch {
    throw new ToolFailure('NOT_FOUND', 'A file of audit rows cannot be read.', {
      suggestions: ['Check the name of the file and that this user may read it.'],
    });
  }
  const [head = '', next = ''] = lines;
  const anchor = parseAnchorLine(head);
  const first = parseAuditLine(anchor ? next : head);
  return {
    anchor,
    firstSeq: first?.seq ?? Number.POSITIVE_INFINITY,
    rows: () => rowsOf(file, anchor ? 1 : 0, longest),
  };
};

export interface FilesToVerify {
  readonly files: readonly string[];
  /** What follows after the last file. */
  readonly log?: AuditLog | undefined;
}

async function* inOrder(
  files: readonly AuditFile[],
  log: AuditLog | undefined,
  onRows: VerifyLogOptions['onRows'],
) {
  let count = 0;
  for (const rows of [...files.map((file) => file.rows()), ...(log ? [log.scan()] : [])]) {
    for await (const page of rows) {
      count += page.length;
      onRows?.(count);
      yield page;
    }
  }
}

const asList = (anchor: AuditCheckpoint | undefined): readonly AuditCheckpoint[] =>
  anchor ? [anchor] : [];

/** Verifies files, given in any order. Throws NOT_FOUND when one cannot be read. */
export const verifyAuditFiles = async (
  { files, log }: FilesToVerify,
  { onRows, ...options }: VerifyLogOptions = {},
): Promise<AuditVerification> => {
  const opened = await Promise.all(files.map((file) => openAuditFile(file)));
  const sorted = opened.toSorted((one, other) => (one.firstSeq < other.firstSeq ? -1 : 1));
  const [anchor, ...anchors] = sorted.map((file) => file.anchor);
  const last = await log?.anchor();
  return verifyAudit(inOrder(sorted, log, onRows), {
    ...options,
    anchor,
    anchors: [...anchors.flatMap(asList), ...asList(last)],
  });
};
