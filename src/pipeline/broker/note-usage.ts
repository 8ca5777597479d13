/** Notes on a call what its sandboxed runs took of the machine. */
import type { CallRequest } from '../../contract/call.ts';
import type { SandboxUsage } from '../../contract/sandbox.ts';

export const noteUsage = (
  { notes }: Pick<CallRequest, 'notes'>,
  { cpuMs, peakMemoryBytes }: SandboxUsage,
): void => {
  notes.cpuMs += cpuMs;
  notes.peakMemoryBytes = Math.max(notes.peakMemoryBytes, peakMemoryBytes);
};
