/** The sandbox that a caller's isolation level asks for, opened; never one that is less. */
import { ToolFailure } from '../contract/errors.ts';
import type { Sandbox, Sandboxes } from '../contract/sandbox.ts';
import { sandboxFor, type WantedSandbox } from './isolation.ts';

const isCoded = (error: unknown): error is ToolFailure =>
  (error as { readonly code?: unknown } | undefined)?.code === 'SANDBOX_ERROR';

/**
 * The first kind that the level accepts and the machine can give. Rejects with SANDBOX_ERROR, and
 * what to install, when it can give none of them.
 */
export const isolationSandbox = async (
  sandboxes: Sandboxes,
  level: string,
  wanted: WantedSandbox,
): Promise<Sandbox> => {
  const types = sandboxFor(level, wanted);
  const install: string[] = [];
  let first: ToolFailure | undefined;
  for (const type of types) {
    try {
      return await sandboxes.get(type);
    } catch (error) {
      if (!isCoded(error)) throw error;
      first ??= error;
      install.push(...(error.extras.suggestions ?? []));
    }
  }
  if (types.length === 1 && first) throw first;
  const message = `The isolation level ${level} needs a sandbox that this machine cannot give: ${types.join(' or ')}.`;
  throw new ToolFailure('SANDBOX_ERROR', message, { suggestions: [...new Set(install)] });
};
