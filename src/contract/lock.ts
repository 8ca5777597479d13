/**
 * The lock of tools from outside: what was accepted is pinned by its fingerprint, and what is new or
 * changed stays in quarantine until a person has read the difference.
 */
import type { ToolSource } from './tool.ts';

/**
 * Something in a definition that a person should see before a model does. Any kind but `suspicious`
 * is reason enough to hold the tool back.
 */
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
  /** ISO 8601. */
  readonly acceptedAt: string;
  readonly acceptedBy: string;
}

/** A tool beside its line in the lock. */
export interface LockState {
  readonly tool: string;
  readonly origin: string;
  readonly state: 'accepted' | 'new' | 'changed' | 'flagged' | 'gone';
  /** Of the present definition, or of the last one of a tool that is gone. */
  readonly fingerprint: string;
  readonly findings: readonly LockFinding[];
  /** ISO 8601: when a definition of it was first accepted, and the newest one. Absent while none was. */
  readonly firstAcceptedAt?: string;
  readonly acceptedAt?: string;
  /** A unified diff of the definition, for people; empty when nothing changed. */
  readonly diff: string;
}

/**
 * A definition that a person has read: it is accepted only while its fingerprint is still this one.
 */
export interface SeenTool {
  readonly tool: string;
  readonly fingerprint: string;
}

/** What `tools lock`, `verify` and `accept` do. */
export interface ToolLock {
  /**
   * Lists every tool from outside, and every line without a tool.
   *
   * @example
   * for (const { tool, state } of crib.tools.lock.states()) console.log(tool, state);
   */
  states(): readonly LockState[];
  /**
   * Lets the named tools out of quarantine and writes the lock: all of them or none. Fails with
   * TOOL_NOT_FOUND, and with CONFLICT when a definition is no longer the one that was seen.
   *
   * @example
   * await crib.tools.lock.accept(crib.tools.lock.states(), 'ada');
   */
  accept(tools: readonly (string | SeenTool)[], by: string): Promise<readonly LockEntry[]>;
  /**
   * Drops the lines without a tool; returns how many there were.
   *
   * @example
   * await crib.tools.lock.forget(['old_tool']);
   */
  forget(tools: readonly string[]): Promise<number>;
}
