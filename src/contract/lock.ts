/**
 * The lock of tools from outside: what was accepted is pinned by its fingerprint, and what is new or
 * changed stays in quarantine until a person has read the difference.
 */
import type { ToolSource } from './tool.ts';

/** Something in a definition that a person should see before a model does. */
export interface LockFinding {
  readonly kind: 'hidden_instruction' | 'invisible_characters' | 'shadowed_name' | 'suspicious';
  /** Where in the definition, e.g. `description` or `input.properties.path.description`. */
  readonly path: string;
  /** For a person: every control character is visible. */
  readonly message: string;
}

export interface Quarantine {
  readonly reason: 'new' | 'changed' | 'flagged';
  readonly findings: readonly LockFinding[];
}

/** One line of the lock. `definition` is what was accepted, so that a difference can be shown. */
export interface LockEntry {
  readonly tool: string;
  readonly source: ToolSource;
  /** The label of its source, e.g. `mcp:github`. */
  readonly origin: string;
  readonly version: string;
  readonly fingerprint: string;
  readonly definition: unknown;
  readonly acceptedAt: string;
}

/** A tool beside its line in the lock. */
export interface LockState {
  readonly tool: string;
  readonly origin: string;
  readonly state: 'accepted' | 'new' | 'changed' | 'flagged' | 'gone';
  readonly findings: readonly LockFinding[];
  /** A unified diff of the definition, for people; empty when nothing changed. */
  readonly diff: string;
}

/** What `tools lock`, `verify` and `accept` do. */
export interface ToolLock {
  /** Every tool from outside, and every line whose tool is gone. */
  states(): readonly LockState[];
  /** Lets the named tools out of quarantine and writes the lock. Throws TOOL_NOT_FOUND. */
  accept(tools: readonly string[], by: string): Promise<readonly LockEntry[]>;
}
