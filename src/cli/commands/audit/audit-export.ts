/** `toolcrib audit export`: the rows as JSON Lines, which can be verified, or as CSV. */
import { once } from 'node:events';
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { newFile } from '../../input/new-file.ts';
import { hint, type Io, printJson } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { type OpenCrib, withStore } from '../../session/open-crib.ts';
import { auditFilterOf, type FilterOptions, withFilters } from './audit-calls.ts';
import { auditServiceOf, lengthOf, withRowProgress } from './audit-service-of.ts';

const FORMATS = ['jsonl', 'csv'] as const;

type Format = (typeof FORMATS)[number];

interface ExportOptions extends FilterOptions {
  readonly format: Format;
  readonly out?: string;
  readonly bom?: boolean;
}

interface Sink {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

const readFormat = (text: string): Format => {
  const format = FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw new ToolFailure('VALIDATION_ERROR', `--format takes one of: ${FORMATS.join(', ')}.`);
};

/** Escapes rows for a terminal, which would obey them; files and pipes get them as they are. */
const shownOn = ({ isTTY }: NodeJS.WriteStream, text: string): string =>
  isTTY ? text.split(/\r?\n/).map(visibleText).join('\n') : text;

/** Writes to stdout: waits for a slow reader, and stops when the reader is gone. */
const standardOutput = ({ stdout }: Io): Sink => ({
  write: async (text) => {
    if (stdout.writable && !stdout.write(shownOn(stdout, text))) {
      await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]);
    }
  },
  close: async () => undefined,
});

const fileSink = async (io: Io, name: string): Promise<Sink> => {
  const file = await newFile(io, name);
  return {
    write: (text) => file.appendFile(text),
    close: async () => {
      await file.sync();
      await file.close();
    },
  };
};

const writeRows = async (io: Io, { crib }: OpenCrib, options: ExportOptions): Promise<number> => {
  const store = await crib.store();
  const filter = auditFilterOf(io, options);
  const { out, format, bom = false } = options;
  const total = await lengthOf(store.audit);
  const sink = out === undefined ? standardOutput(io) : await fileSink(io, out);
  let rows = 0;
  try {
    await withRowProgress(io, { label: 'exporting', total }, async (onRows) => {
      for await (const part of auditServiceOf(io).exportRows(store, {
        format,
        filter,
        bom,
        onRows,
      })) {
        if (part.text !== '') await sink.write(part.text);
        rows += part.rows;
      }
    });
  } finally {
    await sink.close();
  }
  return rows;
};

const exportRows = (io: Io, options: ExportOptions): Promise<number> => {
  if (io.json && options.out === undefined) {
    throw misuse(
      '--json needs --out: the export itself is no document.',
      'Add --out <file>, or leave --json out.',
    );
  }
  return withStore(io, async (open) => {
    const rows = await writeRows(io, open, options);
    if (io.json) printJson(io, { file: options.out, format: options.format, rows });
    else hint(io, `${counted(rows, 'row')} exported.`);
    return 0;
  });
};

export const auditExportCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withFilters(withJson(audit.command('export')), 'rows')
      .option('--format <format>', `one of: ${FORMATS.join(', ')}`, readFormat, 'jsonl')
      .option('--out <file>', 'write to a new file')
      .option('--bom', 'begin CSV with a byte order mark')
      .action(leaving(io, (options: ExportOptions) => exportRows(io, options))),
    'toolcrib audit export --out export.jsonl',
    'toolcrib audit export --format csv --since 30d --status denied',
  );
