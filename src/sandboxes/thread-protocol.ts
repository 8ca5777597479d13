/** The messages between a thread that runs code and its host. All that comes from the code is JSON text. */
import type { ErrorCode } from '../contract/errors.ts';
import type { SandboxUsage } from '../contract/sandbox.ts';

export interface RunRequest {
  readonly kind: 'run';
  readonly code: string;
  readonly name: string;
  /** Absent for an input of `undefined`. */
  readonly input?: string;
  readonly memoryBytes: number;
  readonly outputBytes: number;
}

export type HostAnswer =
  | { readonly kind: 'answer'; readonly id: number; readonly text?: string }
  | {
      readonly kind: 'refusal';
      readonly id: number;
      readonly code: ErrorCode;
      readonly message: string;
    };

/** An error as the code threw it, read inside its realm. `request` names the host's refusal it is. */
export interface ThrownInCode {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly request?: number;
}

export type RunEnd =
  /** `text` is absent when the code returned what JSON does not have. */
  | { readonly how: 'returned'; readonly text?: string }
  /** `text` may be anything: the code can replace what makes it. */
  | { readonly how: 'threw'; readonly text?: string }
  | { readonly how: 'wrote too much' | 'waits for nothing' | 'broke' };

export type FromThread =
  | { readonly kind: 'request'; readonly id: number; readonly text: string }
  | {
      readonly kind: 'end';
      readonly end: RunEnd;
      readonly stdout: string;
      readonly stderr: string;
      /** Whether another run may follow in this thread. */
      readonly reusable: boolean;
      readonly usage: SandboxUsage;
    };
