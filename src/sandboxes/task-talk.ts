/** What a driver of the operating system says to a task and how it reads the answer, for a command and for code. */
import type { SandboxOutcome, SandboxRequest, SandboxTask } from '../contract/sandbox.ts';
import { GUEST_FLAGS, GUEST_PROGRAM } from './guest-program.ts';
import { GuestTalk } from './guest-talk.ts';
import type { OutputMeter } from './output-meter.ts';
import type { RunLimits } from './run-limits.ts';

/** As much of a stream as is needed to speak into it. */
export interface TaskInput {
  write(text: string): unknown;
  end(text: string): unknown;
}

export interface TaskTalk {
  readonly argv: readonly string[];
  begin(stdin: TaskInput): void;
  /** True when the task has said all it has to say. Throws OUTPUT_TOO_LARGE. */
  take(stream: 'stdout' | 'stderr', chunk: Buffer): boolean;
  /** Throws what the code failed with. */
  outcome(exitCode: number): SandboxOutcome;
}

interface TalkParts {
  readonly limits: RunLimits;
  readonly meter: OutputMeter;
  /** Node, as it is called inside. */
  readonly node: string;
  random(): number;
}

type TaskOf<Kind> = Extract<SandboxTask, { readonly kind: Kind }>;

const commandTalk = (task: TaskOf<'command'>, { meter }: TalkParts): TaskTalk => ({
  argv: task.argv,
  begin: (stdin) => void stdin.end(task.stdin ?? ''),
  take: (stream, chunk) => {
    meter.take(stream, chunk);
    return false;
  },
  outcome: (exitCode) => ({ exitCode, stdout: meter.stdout, stderr: meter.stderr }),
});

const codeTalk = (
  task: TaskOf<'code'>,
  host: SandboxRequest['host'],
  { limits, meter, node, random }: TalkParts,
): TaskTalk => {
  let input: TaskInput | undefined;
  const talk = new GuestTalk({
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
      talk.start();
    },
    take: (stream, chunk) => {
      meter.take(stream, stream === 'stdout' ? talk.receive(chunk) : chunk);
      return talk.isOver;
    },
    outcome: () => ({ ...talk.outcome(), stdout: meter.stdout, stderr: meter.stderr }),
  };
};

export const taskTalk = ({ task, host }: SandboxRequest, parts: TalkParts): TaskTalk =>
  task.kind === 'command' ? commandTalk(task, parts) : codeTalk(task, host, parts);
