/** Writes the command that continues a run, so that it can be copied into a shell as it is. */
import type { FlowRun } from '../../../contract/flow-store.ts';
import { shellQuote } from '../../output/format-units.ts';

/** Returns the command with these further arguments, which are in the form that a shell needs. */
export type ResumeCommand = (...further: readonly string[]) => string;

/** Names the modules again: a flow that only they bring is not known to a command without them. */
export const resumeCommand =
  ({ id }: Pick<FlowRun, 'id'>, modules: readonly string[] = []): ResumeCommand =>
  (...further) => {
    const named = modules.flatMap((file) => ['--module', shellQuote(file)]);
    return ['toolcrib flow resume', shellQuote(id), ...further, ...named].join(' ');
  };
