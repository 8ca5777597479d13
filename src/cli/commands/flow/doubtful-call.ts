/** Says what to do about the call of a blocked run of which nobody knows whether it took effect. */
import type { Crib } from '../../../contract/crib.ts';
import type { FlowRun, JournalStep } from '../../../contract/flow-store.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Io } from '../../io.ts';
import { shellQuote } from '../../output/format-units.ts';
import type { ResumeCommand } from './resume-command.ts';

const CALL = 'call:';

/** Finds the step whose call is in doubt; nothing for a run that something else blocks, or nothing. */
export const doubtfulStep = async (
  { flows }: Pick<Crib, 'flows'>,
  { id, status, waitsFor = [] }: FlowRun,
): Promise<JournalStep | undefined> => {
  if (status !== 'blocked' || !waitsFor.some((cause) => cause.startsWith(CALL))) return undefined;
  const steps = await flows.steps(id);
  return steps.find(
    ({ state, executionId }) => state === 'open' && waitsFor.includes(`${CALL}${executionId}`),
  );
};

/** Names the call and its step, and the commands that end the doubt; `resume` is the one that continues the run. */
export const doubtLines = (
  { noteInk }: Pick<Io, 'noteInk'>,
  { key, name, executionId = '' }: Pick<JournalStep, 'key' | 'name' | 'executionId'>,
  resume: ResumeCommand,
): readonly string[] => {
  const arrow = `  ${noteInk.cyan('→')}`;
  return [
    `${noteInk.red('✗')} ${visibleText(`The call of ${name} in step ${key} is in doubt: its process ended, and nobody knows whether it took effect.`)}`,
    `${arrow} Look what it did: toolcrib audit show ${shellQuote(executionId)}`,
    `${arrow} It took effect: ${resume(`--done ${shellQuote(key)}`, '--data <what it returned, as JSON>')}`,
    `${arrow} It did nothing: ${resume(`--not-done ${shellQuote(key)}`)}`,
  ];
};
