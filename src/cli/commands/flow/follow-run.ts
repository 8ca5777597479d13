/** Follows a run until it is over, waits for a person, or the person leaves with Ctrl-C. */
import type { Approver } from '../../../contract/approver.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { ERRORS } from '../../../contract/errors.ts';
import type { FlowRunInfo } from '../../../contract/flow.ts';
import { type RunStop, stopOf } from '../../../contract/flow-stop.ts';
import { FINISHED, type FlowRun } from '../../../contract/flow-store.ts';
import { pause } from '../../../kit/data/pause.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { formatJson } from '../../output/format-json.ts';
import { awaitEnd } from '../../session/on-interrupt.ts';
import { cutOff } from './close-session.ts';
import { doubtfulStep, doubtLines } from './doubtful-call.ts';
import type { ModuleOptions } from './flow-modules.ts';
import { resumeCommand } from './resume-command.ts';
import { waitText } from './run-lines.ts';
import { RunQuestions } from './run-questions.ts';
import type { RunView } from './run-tree.ts';

const LOOK_MS = 150;

const isOver = ({ status }: FlowRun): boolean => FINISHED.has(status) || status === 'blocked';

export interface Following extends ModuleOptions {
  readonly crib: CribHost;
  readonly view: RunView;
  readonly person: Approver;
}

interface RunEnd {
  readonly run: FlowRunInfo;
  /** True after Ctrl-C: the run stays on record. */
  readonly isLeft: boolean;
  /** Approvals that nobody has answered. */
  readonly waitsFor: readonly string[];
  /** Runs that it has started, and that are blocked. */
  readonly blocked: readonly FlowRun[];
}

interface Asking {
  readonly questions: RunQuestions;
  readonly stop: RunStop | undefined;
  readonly signal: AbortSignal;
}

/**
 * Asks the questions of a run: at a terminal as they come, elsewhere once nothing else goes on. Returns why the
 * run is left, or nothing while it goes on.
 */
const settle = async (
  io: Io,
  { id }: FlowRun,
  { questions, stop, signal }: Asking,
): Promise<Pick<RunEnd, 'waitsFor' | 'blocked'> | undefined> => {
  const isAsked = io.stdin.isTTY === true && io.stderr.isTTY === true;
  await questions.ask(isAsked ? await questions.of(id) : (stop?.approvals ?? []), signal);
  if (!stop) return undefined;
  const waitsFor = await questions.open(stop.approvals);
  // Where all were answered, the run is about to go on.
  if (stop.approvals.length > 0 && waitsFor.length === 0) return undefined;
  return { waitsFor, blocked: stop.blocked };
};

const watch = async (
  io: Io,
  following: Following,
  { runId, signal }: { readonly runId: string; readonly signal: AbortSignal },
): Promise<RunEnd> => {
  const { crib, view } = following;
  const questions = new RunQuestions(io, following);
  const over = crib.flows.finished(runId).catch(() => undefined);
  const left = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for (;;) {
    const run = (await crib.flows.get(runId)) as FlowRunInfo;
    const end = { run, isLeft: signal.aborted, waitsFor: [], blocked: [] };
    if (isOver(run)) return end;
    if (signal.aborted) return { ...end, waitsFor: await questions.of(runId) };
    const stop = await stopOf(crib.flows, run, io.runtime.now());
    const rest = await settle(io, run, { questions, stop, signal });
    if (rest) return { ...end, ...rest, isLeft: signal.aborted };
    await view.draw(run);
    await Promise.race([over, left, pause(LOOK_MS, io.runtime)]);
  }
};

const blockedLines = async (
  io: Io,
  { crib, module }: Following,
  run: FlowRun,
): Promise<readonly string[]> => {
  const { id, error } = run;
  const resume = resumeCommand(run, module);
  const doubtful = await doubtfulStep(crib, run);
  if (doubtful) return doubtLines(io, doubtful, resume);
  return [
    `  ${io.noteInk.red('✗')} The run ${id} is blocked: ${visibleText(error?.message ?? 'a person has to decide')}`,
    `  ${io.noteInk.cyan('→')} Continue it first: ${resume()}`,
  ];
};

const exitOf = ({ run, isLeft }: RunEnd): number => {
  if (run.status === 'completed') return 0;
  if (run.status === 'failed') return run.error ? ERRORS[run.error.code].exit : 1;
  return isLeft || run.status === 'cancelled' ? ERRORS.CANCELLED.exit : 5;
};

const printOutput = (io: Io, { output }: FlowRun): void => {
  if (output === undefined || output === null) return;
  print(io, typeof output === 'string' ? visibleText(output) : formatJson(output, io.ink));
};

const report = async (
  io: Io,
  following: Following,
  { run, isLeft, waitsFor, blocked }: RunEnd,
): Promise<void> => {
  const { noteInk } = io;
  const resume = resumeCommand(run, following.module);
  const doubtful = await doubtfulStep(following.crib, run);
  if (doubtful) {
    note(io, ...doubtLines(io, doubtful, resume));
    return;
  }
  if (run.status === 'completed') printOutput(io, run);
  else if (run.error) note(io, ...errorLines(run.error, noteInk));
  if (FINISHED.has(run.status)) return;
  if (isLeft) note(io, `${noteInk.yellow('…')} The run was left where it is; nothing is lost.`);
  else note(io, `${noteInk.yellow('…')} The run is ${run.status}: ${waitText(run)}.`);
  for (const id of waitsFor) {
    note(io, `  ${noteInk.cyan('→')} Decide: toolcrib approvals show ${id}`);
  }
  for (const each of blocked) note(io, ...(await blockedLines(io, following, each)));
  note(io, `  ${noteInk.cyan('→')} Continue it: ${resume()}`);
};

/** Leaves out what no reader needs: the seals and the rights of the caller. */
export const shownRun = ({ seal: _, endSeal: _end, epoch: _epoch, caller, ...run }: FlowRun) => ({
  ...run,
  caller: { userId: caller.userId, agentId: caller.agentId, sessionId: caller.sessionId },
});

/** Follows a run and returns the exit code. Ctrl-C leaves the run on record. */
export const followRun = async (io: Io, following: Following, runId: string): Promise<number> => {
  const controller = new AbortController();
  const { ended, release } = awaitEnd(io, {
    onSecond: () => cutOff(io, undefined),
  });
  void ended.then(() => controller.abort());
  try {
    const end = await watch(io, following, { runId, signal: controller.signal });
    await following.view.end(end.run);
    if (io.json) {
      const steps = await following.crib.flows.steps(runId);
      const { run, waitsFor } = end;
      const blocked = end.blocked.map(({ id }) => id);
      printJson(io, { run: shownRun(run), steps: steps.length, waitsFor, blocked });
    } else await report(io, following, end);
    return exitOf(end);
  } finally {
    release();
  }
};
