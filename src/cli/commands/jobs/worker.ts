/** `toolcrib worker`: works on queues until a signal ends it; running jobs may finish first. */
import type { Command } from 'commander';
import { compact } from '../../../kit/data/compact.ts';
import { collect, leaving, withExamples } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { type Io, note } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { switchOnSignal } from '../../session/log-signals.ts';
import { awaitEnd, endingOf } from '../../session/on-interrupt.ts';
import { openCrib } from '../../session/open-crib.ts';
import { type ModuleOptions, registerModules, withModules } from '../flow/flow-modules.ts';
import { AttemptReports, attemptFields, printAttempt } from './attempt-reports.ts';

interface WorkerOptions extends ModuleOptions {
  readonly queues?: readonly string[];
  readonly concurrency?: number;
  readonly grace?: number;
  readonly quiet?: boolean;
}

const GRACE_S = 30;

const work = async (io: Io, options: WorkerOptions): Promise<number> => {
  const { queues, concurrency, grace = GRACE_S, quiet = false } = options;
  const { crib, logging } = await openCrib(io, undefined, { watch: true, service: 'worker' });
  const { log } = logging;
  // A second signal means that the user does not want to wait.
  const { ended, release } = awaitEnd(io, endingOf(io, logging));
  const stopSwitching = switchOnSignal(io, logging);
  const reports = new AttemptReports();
  try {
    await registerModules(io, crib, options);
    const workers = await crib.jobs.work({
      ...compact({ queues, concurrency }),
      onEnd: (job, end) => {
        if (!reports.isNews(job, end)) return;
        log.info('job attempt ended', attemptFields(job, end));
        if (!quiet) printAttempt(io, job, end);
      },
    });
    const stopAlerts = crib.raiseAlerts();
    note(io, `Working on ${workers.queues.join(', ')}. Ctrl-C ends it.`);
    await ended;
    note(io, `Stopping: jobs that run may take ${grace} s more.`);
    await workers.close(grace * 1_000);
    await stopAlerts();
    note(io, `${counted(reports.count, 'attempt')} made.`);
    return 0;
  } finally {
    await crib.close();
    stopSwitching();
    await logging.service?.close();
    release();
  }
};

export const workerCommand = (program: Command, io: Io): Command =>
  withExamples(
    withModules(program.command('worker'))
      .option('--json', 'print one line of JSON for each attempt')
      .option('--queues <names>', 'these queues, between commas; all known ones otherwise', collect)
      .option(
        '--concurrency <number>',
        'run this many jobs of each queue at once, at most as many as configured; as configured, or 8, without it',
        wholeNumber('--concurrency', 1, 10_000),
      )
      .option(
        '--grace <seconds>',
        'how long running jobs may take when it is stopped; 30 otherwise',
        wholeNumber('--grace', 0, 86_400),
      )
      .option('-q, --quiet', 'print no lines about jobs')
      .action(leaving(io, (options: WorkerOptions) => work(io, options))),
    'toolcrib worker',
    'toolcrib worker --queues mail,reports --concurrency 16',
  );
