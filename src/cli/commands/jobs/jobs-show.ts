/** `toolcrib jobs show`: one job in full. */
import type { Command } from 'commander';
import { waitingApprovals } from '../../../contract/flow-view.ts';
import type { Job } from '../../../contract/queue.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { plainJob } from '../../../surfaces/http/job-access.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { formatJson } from '../../output/format-json.ts';
import { formatTime } from '../../output/format-units.ts';
import { withStore } from '../../session/open-crib.ts';
import { findJob } from './find-job.ts';

const valueLines = (io: Io, name: string, value: unknown): readonly string[] =>
  value === undefined
    ? []
    : [
        `${name}:`,
        ...formatJson(value, io.ink)
          .split('\n')
          .map((line) => `  ${line}`),
      ];

const momentLine = (name: string, moment: number | undefined): readonly string[] =>
  moment === undefined ? [] : [`${name} ${formatTime(moment)}`];

/** Says what a job waits for: a person, or the moment of its next attempt. */
const waitLines = (job: Job): readonly string[] => {
  const approvals = waitingApprovals(job);
  if (approvals.length === 0)
    return job.state === 'delayed' ? momentLine('Due:     ', job.runAt) : [];
  return approvals.map((id) =>
    visibleText(`Waits:    for a person, toolcrib approvals show ${id}`),
  );
};

const linesOf = (io: Io, job: Job): readonly string[] => {
  const { id, type, queue, state, attempts, retries, caller, priority, scheduleId, error } = job;
  return [
    `${io.ink.bold(visibleText(type))} ${visibleText(id)}`,
    `State:    ${state}, attempt ${attempts} of ${retries + 1}`,
    `Queue:    ${visibleText(queue)}, priority ${priority}`,
    visibleText(`Runs as:  user ${caller.userId}, agent ${caller.agentId}`),
    ...(scheduleId === undefined ? [] : [visibleText(`Schedule: ${scheduleId}`)]),
    ...momentLine('Added:   ', job.createdAt),
    ...waitLines(job),
    ...momentLine('Started: ', job.startedAt),
    ...momentLine('Ended:   ', job.finishedAt),
    ...valueLines(io, 'Payload', job.payload),
    ...valueLines(io, 'Progress', job.progress),
    ...valueLines(io, 'Result', job.result),
    ...(error === undefined ? [] : errorLines(error, io.ink)),
  ];
};

const show = (io: Io, id: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const job = await findJob(crib, id);
    if (io.json) printJson(io, plainJob(job));
    else print(io, ...linesOf(io, job));
    return 0;
  });

export const jobsShowCommand = (jobs: Command, io: Io): Command =>
  withExamples(
    withJson(jobs.command('show <id>')).action(leaving(io, (id: string) => show(io, id))),
    'toolcrib jobs show <id>',
  );
