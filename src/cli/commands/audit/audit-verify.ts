/** `toolcrib audit verify`: walks the hash chain and says whether anybody touched it. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Store } from '../../../contract/store.ts';
import type { VerifyAnswer } from '../../../crib/audit-files.ts';
import { visibleJson, visibleText } from '../../../kit/text/visible-text.ts';
import { collect, leaving, withExamples, withJson } from '../../command-actions.ts';
import { newFile } from '../../input/new-file.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { withStore } from '../../session/open-crib.ts';
import { auditServiceOf, lengthOf, withRowProgress } from './audit-service-of.ts';

interface CheckpointOptions {
  readonly out?: string;
}

const checkpoint = (io: Io, { out }: CheckpointOptions): Promise<number> =>
  withStore(io, async ({ crib }) => {
    // The file first: a name that is taken leaves nothing behind.
    const file = out === undefined ? undefined : await newFile(io, out);
    try {
      const made = await auditServiceOf(io).checkpoint(await crib.store(), io.runtime.now());
      const line = `${visibleJson(JSON.stringify(made))}\n`;
      await file?.appendFile(line);
      await file?.sync();
      if (!file || io.json) io.stdout.write(line);
      note(
        io,
        io.noteInk.dim(
          `Row ${made.seq} is signed. Keep this where nobody of this machine can change it.`,
        ),
      );
      return 0;
    } finally {
      await file?.close();
    }
  });

/** `toolcrib audit checkpoint`: a signed note of the end of the trail, to be kept elsewhere. */
export const auditCheckpointCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('checkpoint').description('sign how far the record has come'))
      .option('--out <file>', 'write it to a new file')
      .action(leaving(io, (options: CheckpointOptions) => checkpoint(io, options))),
    'toolcrib audit checkpoint --out checkpoint.json',
    'toolcrib audit checkpoint | ssh elsewhere "cat >> checkpoints.jsonl"',
  );

interface VerifyOptions {
  readonly expect?: { readonly seq: number; readonly hash: string };
  readonly checkpoint?: readonly string[];
  readonly publicKey?: readonly string[];
  readonly archive?: readonly string[];
  readonly file?: readonly string[];
  /** Where automatic checkpoints go; counts where it is a file of this machine. */
  readonly book?: string | undefined;
}

const readHead = (text: string): { seq: number; hash: string } => {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined)
    return { seq: Number(seq), hash: hash.toLowerCase() };
  throw new ToolFailure('VALIDATION_ERROR', '--expect takes a head as printed before: seq:hash.');
};

const show = (io: Io, report: VerifyAnswer): number => {
  const code = report.ok ? 0 : 1;
  if (io.json) {
    printJson(io, report);
    return code;
  }
  const { head, problem, checkpoints } = report;
  if (report.ok) {
    const against = checkpoints === 0 ? '' : `, held to ${counted(checkpoints, 'checkpoint')}`;
    print(
      io,
      `${io.ink.green('✓')} The record is whole: ${counted(report.rows, 'row')}${against}.`,
    );
    if (head) print(io, io.ink.dim(`  head ${head.seq}:${head.hash}`));
    if (head && checkpoints === 0) {
      note(
        io,
        io.noteInk.dim('  Against a cut-off end: toolcrib audit checkpoint, kept elsewhere.'),
      );
    }
    return code;
  }
  const place = problem ? ` at row ${problem.seq} (${problem.kind})` : '';
  const what =
    problem?.kind === 'bad-checkpoint'
      ? 'The record cannot be vouched for'
      : 'The record was tampered with';
  note(io, `${io.noteInk.red('✗')} ${what}${place}.`);
  if (problem) note(io, `  ${visibleText(problem.message)}`);
  return code;
};

const verifyWith = async (io: Io, options: VerifyOptions, store?: Store): Promise<number> => {
  const at = (names: readonly string[] = []) => names.map((name) => resolve(io.cwd, name));
  const total = store ? await lengthOf(store.audit) : 0;
  const report = await withRowProgress(io, { label: 'verifying', total }, (onRows) =>
    auditServiceOf(io).verify({
      store,
      files: [...at(options.archive), ...at(options.file)],
      checkpointFiles: at(options.checkpoint),
      book: options.book,
      publicKeys: options.publicKey ?? [],
      expected: options.expect,
      onRows,
    }),
  );
  return show(io, report);
};

const verify = (io: Io, options: VerifyOptions): Promise<number> =>
  options.file === undefined
    ? withStore(io, async ({ crib, loaded }) =>
        verifyWith(
          io,
          { ...options, book: loaded.config.audit.checkpoints.to },
          await crib.store(),
        ),
      )
    : verifyWith(io, options);

/** Base64 has no comma, and file names may have one. */
const each = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];

export const auditVerifyCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('verify').description('check that nothing was edited or removed'))
      .option('--expect <seq:hash>', 'a head noted earlier, against a cut-off end', readHead)
      .option('--checkpoint <file>', 'signed checkpoints, beside those remembered here', each)
      .option('--archive <file>', 'what was pruned, verified with the rest as one chain', each)
      .option('--file <export>', 'verify an export instead of the store', each)
      .option('--public-key <key>', 'a key to trust beside your own', collect)
      .action(leaving(io, (options: VerifyOptions) => verify(io, options))),
    'toolcrib audit verify',
    'toolcrib audit verify --checkpoint kept-elsewhere.json',
    'toolcrib audit verify --file export.jsonl --public-key <key>',
  );
