/** Formats runs and steps as lines for people. */
import type { ListedFlowRun } from '../../../contract/flow.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import type { StepView } from '../../../contract/flow-view.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Io } from '../../io.ts';
import { formatCost, formatDuration, formatTime } from '../../output/format-units.ts';
import type { Cell } from '../../output/table.ts';

type Ink = Io['ink'];

const PAINTS = {
  completed: 'green',
  failed: 'red',
  cancelled: 'dim',
  blocked: 'red',
  waiting: 'yellow',
  sleeping: 'cyan',
  running: 'cyan',
} as const;

export const statusCell = ({ status }: Pick<FlowRun, 'status'>, ink: Ink): Cell => ({
  text: status,
  paint: ink[PAINTS[status]],
});

/** Describes what a run waits for. */
export const waitText = (run: ListedFlowRun): string => {
  const { waitsFor = [], wakeAt, status, flow, version, missingVersion } = run;
  // Nothing is missing but a process: one that has its version takes it at once.
  if (missingVersion || (status === 'waiting' && waitsFor.length === 0)) {
    return visibleText(`a process that has ${flow}@${version}`);
  }
  return waitsFor
    .map((cause) => {
      if (cause === 'time') return wakeAt === undefined ? 'time' : `until ${formatTime(wakeAt)}`;
      if (cause.startsWith('call:'))
        return visibleText(cause.replace('call:', 'a call in doubt: '));
      if (cause === 'seal') return 'this user did not start it';
      return visibleText(cause.replace(':', ' '));
    })
    .join(', ');
};

const MARKS = { done: '✓', failed: '✗', open: '…' } as const;

export const markOf = ({ state }: Pick<StepView, 'state'>, ink: Ink): string => {
  const paint = { done: ink.green, failed: ink.red, open: ink.yellow }[state];
  return paint(MARKS[state]);
};

/** Describes what an open step waits for; empty for one that is being worked on. */
const stepWait = ({ state, kind, approvalId, childId, wakeAt }: StepView): string => {
  if (state !== 'open') return '';
  if (approvalId !== undefined) return `waits for a person: ${approvalId}`;
  if (childId !== undefined) return `waits for run ${childId}`;
  if (kind === 'event') return 'waits for the event';
  return wakeAt === undefined ? '' : `until ${formatTime(wakeAt)}`;
};

/** Lists the facts after the name of a step: time, cost, failures, and what it waits for. */
export const stepFacts = (step: StepView, now: number): string => {
  const { startedAt, finishedAt, callMs, costUsd, error, kind, name } = step;
  const took = callMs ?? (finishedAt ?? now) - startedAt;
  return [
    ...(kind === 'call' || kind === name ? [] : [kind]),
    formatDuration(took),
    ...(costUsd === undefined || costUsd === 0 ? [] : [formatCost(costUsd)]),
    ...(error ? [`${error.code}: ${visibleText(error.message)}`] : []),
    ...[stepWait(step)].filter((text) => text !== ''),
  ].join(' · ');
};
