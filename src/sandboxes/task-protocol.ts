/** How a sandbox of the operating system starts a task and reads its output, for a command and for code. */
import type { SandboxOutcome, SandboxRequest, SandboxTask } from '../contract/sandbox.ts';
import { GUEST_FLAGS, GUEST_PROGRAM } from './guest-program.ts';
import { GuestProtocol } from './guest-protocol.ts';
import type { OutputMeter } from './output-meter.ts';
import type { RunLimits } from './run-limits.ts';

/** The part of a writable stream that is used. */
export interface TaskInput {
  write(text: string): unknown;
  end(text: string): unknown;
}

export interface TaskProtocol {
  readonly argv: readonly string[];
  begin(stdin: TaskInput): void;
  /** Takes output. True when the task needs no more time. Throws OUTPUT_TOO_LARGE. */
  take(stream: 'stdout' | 'stderr', chunk: Buffer): boolean;
  /** Throws what the code failed with. */
  outcome(exitCode: number): SandboxOutcome;
}

interface TaskProtocolDeps {
  readonly limits: RunLimits;
  readonly meter: OutputMeter;
  /** Node, as it is called inside. */
  readonly node: string;
  random(): number;
}

type TaskOf<Kind> = Extract<SandboxTask, { readonly kind: Kind }>;

/** Gives a command its input and collects its output. */
export const commandProtocol = (
  task: Pick<TaskOf<'command'>, 'argv' | 'stdin'>,
  { meter }: Pick<TaskProtocolDeps, 'meter'>,
): TaskProtocol => ({
  argv: task.argv,
  begin: (stdin) => void stdin.end(task.stdin ?? ''),
  take: (stream, chunk) => {
    meter.take(stream, chunk);
    return false;
  },
  outcome: (exitCode) => ({ exitCode, stdout: meter.stdout, stderr: meter.stderr }),
});

const codeProtocol = (
  task: TaskOf<'code'>,
  host: SandboxRequest['host'],
  { limits, meter, node, random }: TaskProtocolDeps,
): TaskProtocol => {
  let input: TaskInput | undefined;
  const protocol = new GuestProtocol({
    task,
    host,
    mark: `\u0001${Math.floor(random() * 2 ** 52).toString(36)}\u0001`,
    outputBytes: limits.outputBytes,
    send: (line) => void input?.write(line),
  });
  return {
    argv: [node, ...GUEST_FLAGS, GUEST_PROGRAM],
    begin: (stdin) => {
      input = stdin;
      protocol.start();
    },
    take: (stream, chunk) => {
      meter.take(stream, stream === 'stdout' ? protocol.receive(chunk) : chunk);
      return protocol.isOver;
    },
    outcome: () => ({ ...protocol.outcome(), stdout: meter.stdout, stderr: meter.stderr }),
  };
};

export const taskProtocol = (
  { task, host }: SandboxRequest,
  parts: TaskProtocolDeps,
): TaskProtocol =>
  task.kind === 'command' ? commandProtocol(task, parts) : codeProtocol(task, host, parts);
