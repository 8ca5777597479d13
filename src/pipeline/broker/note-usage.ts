/** Notes on a call the processor time and memory that its sandboxed runs used, and reads them back. */
import type { CallRequest } from '../../contract/call.ts';
import type { SandboxUsage } from '../../contract/sandbox.ts';

export const noteUsage = (
  { notes }: Pick<CallRequest, 'notes'>,
  { cpuMs, peakMemoryBytes }: SandboxUsage,
): void => {
  notes.cpuMs += cpuMs;
  notes.peakMemoryBytes = Math.max(notes.peakMemoryBytes, peakMemoryBytes);
};

/** Returns nothing where no run was measured. */
export const usageOf = ({ notes }: Pick<CallRequest, 'notes'>): SandboxUsage | undefined => {
  const { cpuMs, peakMemoryBytes } = notes;
  return cpuMs > 0 || peakMemoryBytes > 0 ? { cpuMs, peakMemoryBytes } : undefined;
};
