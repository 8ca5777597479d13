/** `toolcrib audit verify`: walks the hash chain and says whether anybody touched it. */
import type { Command } from 'commander';
import { visibleText } from '../../approvers/terminal/visible-text.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { counted } from '../format-units.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { withCrib } from '../open-crib.ts';

interface VerifyOptions {
  readonly expect?: { readonly seq: number; readonly hash: string };
}

const readHead = (text: string): { seq: number; hash: string } => {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined)
    return { seq: Number(seq), hash: hash.toLowerCase() };
  throw new ToolFailure('VALIDATION_ERROR', '--expect takes a head as printed before: seq:hash.');
};

const verify = (io: Io, { expect }: VerifyOptions): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const report = await crib.verifyAudit(expect);
    const code = report.ok ? 0 : 1;
    if (io.json) {
      printJson(io, report);
      return code;
    }
    const { head, problem } = report;
    if (report.ok) {
      print(io, `${io.ink.green('✓')} The record is whole: ${counted(report.rows, 'row')}.`);
      if (head) print(io, io.ink.dim(`  head ${head.seq}:${head.hash}`));
      if (head)
        note(io, io.noteInk.dim('  Note the head elsewhere; --expect finds a cut-off end.'));
      return code;
    }
    const place = problem ? ` at row ${problem.seq} (${problem.kind})` : '';
    note(io, `${io.noteInk.red('✗')} The record was tampered with${place}.`);
    if (problem) note(io, `  ${visibleText(problem.message)}`);
    return code;
  });

export const auditVerifyCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('verify').description('check that nothing was edited or removed'))
      .option('--expect <seq:hash>', 'a head noted earlier, against a cut-off end', readHead)
      .action(leaving(io, (options: VerifyOptions) => verify(io, options))),
    'toolcrib audit verify',
  );
