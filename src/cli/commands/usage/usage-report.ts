/** `toolcrib usage report`: a month by day, user, tool and source, as CSV, JSON or a page to print. */
import type { Command } from 'commander';
import { REPORT_FORMATS, type ReportFormat } from '../../../contract/usage-report.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { newFile } from '../../input/new-file.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';

interface ReportOptions {
  readonly month?: string;
  readonly format?: string;
  readonly out?: string;
}

const isFormat = (text: string): text is ReportFormat =>
  (REPORT_FORMATS as readonly string[]).includes(text);

/** Chooses the format: the one named, else that of the file's extension, else JSON for programs. */
const formatOf = (io: Io, { format, out }: ReportOptions): ReportFormat => {
  const ending = out?.split('.').at(-1)?.toLowerCase() ?? '';
  const chosen = format ?? (isFormat(ending) ? ending : io.json ? 'json' : 'csv');
  if (isFormat(chosen)) return chosen;
  throw misuse('--format does not accept that value.', `Use one of: ${REPORT_FORMATS.join(', ')}.`);
};

const report = (io: Io, options: ReportOptions): Promise<number> => {
  const format = formatOf(io, options);
  const { month = new Date(io.runtime.now()).toISOString().slice(0, 7), out } = options;
  return withStore(io, async ({ crib }) => {
    const file = await crib.usage.reportFile(month, format);
    // Rows of zeros alone do not tell a quiet month from a typing error.
    if (file.calls === 0 && !io.json) note(io, `There were no calls in ${month} (UTC).`);
    if (out === undefined) {
      // A terminal would obey control characters in names.
      const lines = file.text.trimEnd().split(/\r?\n/);
      print(io, ...(io.stdout.isTTY ? lines.map(visibleText) : lines));
      return 0;
    }
    const target = await newFile(io, out);
    try {
      await target.writeFile(file.text);
      await target.sync();
    } finally {
      await target.close();
    }
    if (io.json) printJson(io, { file: out, month, format });
    else note(io, `Wrote the report of ${month} (UTC) to ${out}.`);
    return 0;
  });
};

export const usageReportCommand = (usage: Command, io: Io): Command =>
  withExamples(
    withJson(usage.command('report'))
      .description('sum a month up by day, user, tool and source')
      .option('--month <month>', 'such as 2026-11; by default this one, in UTC')
      .option('--format <format>', `${REPORT_FORMATS.join(', ')}; by default as the file is named`)
      .option('--out <file>', 'write to a new file')
      .action(leaving(io, (options: ReportOptions) => report(io, options))),
    'toolcrib usage report --month 2026-11',
    'toolcrib usage report --month 2026-11 --out november.html',
  );
