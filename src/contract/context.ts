/**
 * What a tool is handed when it runs. Every member is brokered: it reaches only what the tool's
 * `needs` and the policy allow, and refuses the rest with a coded failure.
 */
import type { Memory } from './memory.ts';
import type { Model } from './model.ts';
import type { ToolResult } from './result.ts';
import type { Logger } from './runtime.ts';

export interface FileInfo {
  /** Relative to the workspace root, with forward slashes. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  readonly modifiedMs: number;
}

export interface WriteReceipt {
  readonly bytesWritten: number;
  readonly created: boolean;
}

/** Files below the workspace root. Writes and removals keep a snapshot so that they can be undone. */
export interface FileAccess {
  /** The absolute path a name stands for. Fails when it is outside the root or protected. */
  resolve(path: string, access: 'read' | 'write'): Promise<string>;
  read(path: string, options?: { maxBytes?: number }): Promise<Uint8Array>;
  write(
    path: string,
    data: string | Uint8Array,
    options?: { createDirs?: boolean; overwrite?: boolean },
  ): Promise<WriteReceipt>;
  remove(path: string): Promise<void>;
  /** The entries of one directory, protected names left out. */
  list(path: string): Promise<readonly FileInfo[]>;
  /** `undefined` when nothing is there. */
  stat(path: string): Promise<FileInfo | undefined>;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Usage {
  /** US dollars the call really cost. */
  readonly cost?: number;
  readonly tokens?: number;
}

export interface ToolContext {
  readonly executionId: string;
  readonly sessionId: string;
  readonly loopId: string;
  readonly agentId: string;
  readonly userId: string;
  /** The same for every attempt of one call, for services that accept such a key. */
  readonly idempotencyKey: string;
  /** A non-critical precondition failed: do less, but do it. */
  readonly degraded: boolean;
  /** Aborts on cancel and on timeout. */
  readonly signal: AbortSignal;
  readonly memory: Memory;
  readonly logger: Logger;
  readonly fs: FileAccess;
  readonly fetch: typeof globalThis.fetch;
  exec(command: string, args?: readonly string[]): Promise<CommandResult>;
  readonly model: Model;
  /** Tells how far the work is (0 to 1) and resets the idle timeout. */
  progress(fraction: number, note?: string): void;
  /** The secret under a key that the tool declared in `needs.secrets` or `auth`. */
  secret(key: string): Promise<string>;
  /** Reports what the call really used; the ledger settles with it. */
  charge(usage: Usage): void;
  warn(message: string): void;
  /** Calls another tool through the whole pipeline. */
  call(tool: string, input: unknown): Promise<ToolResult>;
}
