/** The limits of one run, with the defaults for what the configuration leaves open. */
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxConfig } from '../contract/sandbox.ts';

export interface RunLimits {
  readonly memoryMb: number;
  readonly processes: number;
  readonly outputBytes: number;
  readonly timeMs: number;
  readonly cpus?: number;
}

const DEFAULTS = { memoryMb: 1024, processes: 128, outputBytes: 1_048_576, timeMs: 60_000 };

/** Throws for a limit that is no positive number: it would be no limit at all. */
const positive = (name: string, value: number): number => {
  if (Number.isFinite(value) && value > 0) return value;
  throw new ToolFailure('SANDBOX_ERROR', `The limit ${name} of the sandbox is not above zero.`, {
    suggestions: [`Set ${name} to a number above zero.`],
  });
};

/** Gives the limits. Fails with SANDBOX_ERROR when a limit is no positive number. */
export const runLimits = ({
  resourceLimits: limits = {},
  timeLimit,
}: SandboxConfig): RunLimits => ({
  memoryMb: positive('memoryMb', limits.memoryMb ?? DEFAULTS.memoryMb),
  processes: positive('processes', limits.processes ?? DEFAULTS.processes),
  outputBytes: positive('outputBytes', limits.outputBytes ?? DEFAULTS.outputBytes),
  timeMs: positive('timeLimit', timeLimit ?? DEFAULTS.timeMs),
  ...(limits.cpus !== undefined && { cpus: positive('cpus', limits.cpus) }),
});
