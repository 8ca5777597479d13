/** Refuses a run that asks for another kind of sandbox: there is no silent step down. */
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxConfig } from '../contract/sandbox.ts';

/** Throws SANDBOX_ERROR when a run asks for another sandbox than this one. */
export const assertType = (own: SandboxConfig['type'], { type }: SandboxConfig): void => {
  if (type === own) return;
  throw new ToolFailure('SANDBOX_ERROR', `This is the ${own} sandbox; the run asks for ${type}.`);
};
