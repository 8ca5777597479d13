/** `toolcrib audit verify`: walks the hash chain and says whether anybody touched it. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Store } from '../../../contract/store.ts';
import type { VerifyAnswer } from '../../../crib/audit-files.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { collect, leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { withStore } from '../../session/open-crib.ts';
import { auditServiceOf, lengthOf, withRowProgress } from './audit-service-of.ts';

interface VerifyOptions {
  readonly expect?: { readonly seq: number; readonly hash: string };
  readonly checkpoint?: readonly string[];
  readonly publicKey?: readonly string[];
  readonly archive?: readonly string[];
  readonly file?: readonly string[];
  /** Where automatic checkpoints go; counts where it is a file or a second store. */
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
    note(io, `${io.noteInk.yellow('!')} ${visibleText(missing)} does not exist: ${advice}`);
  }
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

/** A second store is named by its absolute path, after `sqlite:`. */
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

/** Base64 has no comma, and file names may have one. */
const each = (value: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  value,
];

export const auditVerifyCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('verify').description('check that nothing was edited or removed'))
      .option('--expect <seq:hash>', 'a head noted earlier, against a cut-off end', readHead)
      .option(
        '--checkpoint <file>',
        'signed checkpoints (a file, or sqlite:<path> of a second store), beside those remembered here',
        each,
      )
      .option('--archive <file>', 'what was pruned, verified with the rest as one chain', each)
      .option('--file <export>', 'verify an export instead of the store', each)
      .option('--public-key <key>', 'a key to trust beside your own', collect)
      .action(leaving(io, (options: VerifyOptions) => verify(io, options))),
    'toolcrib audit verify',
    'toolcrib audit verify --checkpoint kept-elsewhere.json',
    'toolcrib audit verify --checkpoint sqlite:/mnt/audit/checkpoints.db',
    'toolcrib audit verify --file export.jsonl --public-key <key>',
  );
