/** `toolcrib audit checkpoint`: a signed note of the end of the trail, to be kept elsewhere. */
import type { Command } from 'commander';
import { visibleJson } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { newFile } from '../../input/new-file.ts';
import { type Io, note } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';
import { auditServiceOf } from './audit-service-of.ts';

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

export const auditCheckpointCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('checkpoint').description('sign how far the record has come'))
      .option('--out <file>', 'write it to a new file')
      .action(leaving(io, (options: CheckpointOptions) => checkpoint(io, options))),
    'toolcrib audit checkpoint --out checkpoint.json',
    'toolcrib audit checkpoint | ssh elsewhere "cat >> checkpoints.jsonl"',
  );
