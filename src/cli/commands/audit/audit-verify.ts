/** `toolcrib audit verify` and `checkpoint`: walks the hash chain, and signs its current end. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Store } from '../../../contract/store.ts';
import type { VerifyAnswer } from '../../../crib/audit/audit-files.ts';
import { visibleJson, visibleText } from '../../../kit/text/visible-text.ts';
import { collect, collectEach, leaving, withExamples, withJson } from '../../command-actions.ts';
import { newFile } from '../../input/new-file.ts';
import { hint, type Io, note, print, printDone, printJson, warn } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { withStore } from '../../session/open-crib.ts';
import { auditServiceOf, lengthOf, withRowProgress } from './audit-service-of.ts';

interface CheckpointOptions {
  readonly out?: string;
}

const checkpoint = (io: Io, { out }: CheckpointOptions): Promise<number> =>
  withStore(io, async ({ crib }) => {
    // Creates the file first: when the name is taken, no checkpoint is made.
    const file = out === undefined ? undefined : await newFile(io, out);
    try {
      const signed = await auditServiceOf(io).checkpoint(await crib.store(), io.runtime.now());
      const line = `${visibleJson(JSON.stringify(signed))}\n`;
      await file?.appendFile(line);
      await file?.sync();
      if (!file || io.json) io.stdout.write(line);
      hint(
        io,
        `Row ${signed.seq} is signed. Keep this where nobody on this machine can change it.`,
      );
      return 0;
    } finally {
      await file?.close();
    }
  });

export const auditCheckpointCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('checkpoint'))
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
  /** Where automatic checkpoints are delivered; verified when it is a file or a second store. */
  readonly destination?: string | undefined;
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
  const { head, problem, checkpoints, missing } = report;
  if (missing !== undefined) {
    const advice =
      'its checkpoints were not compared. Mount its disk, or correct audit.checkpoints.to.';
    warn(io, `${visibleText(missing)} does not exist: ${advice}`);
  }
  if (report.ok) {
    const against =
      checkpoints === 0 ? '' : `, compared with ${counted(checkpoints, 'checkpoint')}`;
    printDone(io, `The record is whole: ${counted(report.rows, 'row')}${against}.`);
    if (head) print(io, io.ink.dim(`  head ${head.seq}:${head.hash}`));
    if (head && checkpoints === 0) {
      hint(io, '  To find a cut-off end as well: toolcrib audit checkpoint, kept elsewhere.');
    }
    return code;
  }
  const where = problem ? ` at row ${problem.seq} (${problem.kind})` : '';
  const what =
    problem?.kind === 'bad-checkpoint'
      ? 'The record cannot be verified'
      : 'The record was tampered with';
  note(io, `${io.noteInk.red('✗')} ${what}${where}.`);
  if (problem) note(io, `  ${visibleText(problem.message)}`);
  return code;
};

/** Makes the path of a source of checkpoints absolute; a second store is written `sqlite:<path>`. */
const checkpointSource = (cwd: string, name: string): string =>
  name.startsWith('sqlite:') ? `sqlite:${resolve(cwd, name.slice(7))}` : resolve(cwd, name);

const verifyWith = async (io: Io, options: VerifyOptions, store?: Store): Promise<number> => {
  const at = (names: readonly string[] = []) => names.map((name) => resolve(io.cwd, name));
  const total = store ? await lengthOf(store.audit) : 0;
  const report = await withRowProgress(io, { label: 'verifying', total }, (onRows) =>
    auditServiceOf(io).verify({
      store,
      files: [...at(options.archive), ...at(options.file)],
      checkpointFiles: (options.checkpoint ?? []).map((name) => checkpointSource(io.cwd, name)),
      destination: options.destination,
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
          { ...options, destination: loaded.config.audit.checkpoints.to },
          await crib.store(),
        ),
      )
    : verifyWith(io, options);

export const auditVerifyCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('verify'))
      .option(
        '--expect <seq:hash>',
        'compare with a head noted earlier: finds a cut-off end',
        readHead,
      )
      .option(
        '--checkpoint <file>',
        'signed checkpoints to compare with: a file, or sqlite:<path> of a second store',
        collectEach,
      )
      .option('--archive <file>', 'pruned rows, verified with the rest as one chain', collectEach)
      .option('--file <export>', 'verify an export instead of the store', collectEach)
      .option('--public-key <key>', 'a key to trust besides your own', collect)
      .action(leaving(io, (options: VerifyOptions) => verify(io, options))),
    'toolcrib audit verify',
    'toolcrib audit verify --checkpoint kept-elsewhere.json',
    'toolcrib audit verify --checkpoint sqlite:/mnt/audit/checkpoints.db',
    'toolcrib audit verify --file export.jsonl --public-key <key>',
  );
