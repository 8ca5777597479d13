/** Makes the message that starts a run in a thread. */
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxRequest, SandboxType } from '../contract/sandbox.ts';
import { assertType } from './assert-type.ts';
import { type RunLimits, runLimits } from './run-limits.ts';
import type { RunRequest } from './thread-protocol.ts';

export interface TimedRun {
  readonly runRequest: RunRequest;
  readonly timeMs: number;
}

const inputText = (input: unknown): string | undefined => {
  try {
    return JSON.stringify(input);
  } catch {
    throw new ToolFailure('SANDBOX_ERROR', 'The input of the code is not plain data.', {
      suggestions: ['Hand over what JSON can say.'],
    });
  }
};

const limitsOf = ({ config }: SandboxRequest, memoryMb: number): RunLimits =>
  runLimits({ ...config, resourceLimits: { memoryMb, ...config.resourceLimits } });

/**
 * Makes the message. Fails with CANCELLED when the signal has fired, with SANDBOX_ERROR for another kind of task, for
 * another isolation than this one (never a silent step down) and for limits that are none.
 */
export const runRequestFor = (
  request: SandboxRequest,
  type: SandboxType,
  memoryMb: number,
): TimedRun => {
  const { task, config, signal } = request;
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  assertType(type, config);
  if (task.kind !== 'code') {
    throw new ToolFailure('SANDBOX_ERROR', `A ${type} sandbox runs code, not commands.`, {
      suggestions: ['Run commands in a sandbox of type process or container.'],
    });
  }
  const limits = limitsOf(request, memoryMb);
  const input = inputText(task.input);
  const runRequest: RunRequest = {
    kind: 'run',
    code: task.code,
    name: task.name ?? 'tool.js',
    ...(input !== undefined && { input }),
    memoryBytes: Math.floor(limits.memoryMb * 1024 * 1024),
    outputBytes: limits.outputBytes,
  };
  return { runRequest, timeMs: limits.timeMs };
};
