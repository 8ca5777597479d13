/** Registers the flows of the project and of named modules, and says what is wrong with them. */
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, warn } from '../../io.ts';
import type { OpenCrib } from '../../session/open-crib.ts';
import { type ModuleOptions, registerModules } from './flow-modules.ts';

/** Returns how to stop waiting for tools that flows of the project lack. */
export const registerFlows = async (
  io: Io,
  { crib, loaded }: OpenCrib,
  options: ModuleOptions,
): Promise<() => void> => {
  const { projectFlowsOf, registerProjectFlows } = await import(
    '../../../crib/project/project-flows.ts'
  );
  // Modules first: they may bring the tools that declared flows call.
  await registerModules(io, crib, options);
  const { faults, close } = await registerProjectFlows(crib, projectFlowsOf(loaded));
  for (const { file, error } of faults) {
    warn(io, visibleText(`.toolcrib/${file}: ${error.message}`));
  }
  return close;
};
