/** What the parts of the sandbox suite share: the sandbox under test, and how its failures are read. */
import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { ToolFailure } from '../../src/contract/errors.ts';
import type {
  Sandbox,
  SandboxConfig,
  SandboxHost,
  SandboxOutcome,
  SandboxTask,
  SandboxUsage,
} from '../../src/contract/sandbox.ts';

export interface SandboxAbilities {
  readonly code: boolean;
  readonly command: boolean;
  /**
   * The realm has the language and nothing of Node: no `process`, no `require`, no timers. Or why it
   * has more.
   */
  readonly bare: true | string;
  /** Why escapes are not tried: the driver is for code that is trusted anyway. */
  readonly trusted?: string;
  /** Milliseconds a run may need to begin. 0 unless told; containers are slow. */
  readonly startMs?: number;
  /** The driver tells what runs took of the machine. */
  readonly measures?: boolean;
}

export interface RunOptions {
  readonly config?: Partial<SandboxConfig>;
  readonly host?: SandboxHost;
  readonly signal?: AbortSignal;
  onUsage?(usage: SandboxUsage): void;
}

export interface SandboxUnderTest {
  readonly name: string;
  readonly can: SandboxAbilities;
  readonly sandbox: () => Sandbox;
  run(task: SandboxTask, options?: RunOptions): Promise<SandboxOutcome>;
  /** `body` is the body of `run(input, context)`, in a file called `tool.js` from its second line on. */
  code(body: string, input?: unknown, options?: RunOptions): Promise<SandboxOutcome>;
}

/** Counted as skipped, and why is printed: a reporter does not tell the names of skipped tests. */
export const skip = ({ name }: SandboxUnderTest, what: string, why: string): void => {
  console.warn(`Not tried on the ${name} sandbox: ${what}: ${why}.`);
  it.skip(what, () => undefined);
};

/** The failure of a run. Fails the test when the run succeeds or throws something without a code. */
export const failureOf = async (run: Promise<SandboxOutcome>): Promise<ToolFailure> => {
  const outcome = await run.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (outcome instanceof ToolFailure) return outcome;
  throw new Error(`no ToolFailure, but ${JSON.stringify(outcome) ?? String(outcome)}`);
};

/** How many times the host's event loop turned (every 10 ms at best) while `work` went on. */
export const turnsDuring = async (work: Promise<unknown>): Promise<number> => {
  let over = false;
  const done = work
    .catch(() => undefined)
    .finally(() => {
      over = true;
    });
  let turns = 0;
  while (!over) {
    await sleep(10);
    turns += 1;
  }
  await done;
  return turns;
};
