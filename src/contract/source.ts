/** The port every source of tools implements: built-in, custom files, MCP servers and so on. */
import type { Tool, ToolSource } from './tool.ts';

export interface Source {
  readonly kind: ToolSource;
  /** How messages name it, e.g. `mcp:github`. */
  readonly label: string;
  /** The user has accepted all of its tools beforehand: the lock holds none of them. */
  readonly isAccepted?: boolean;
  /** Reads the tools. A failure is reported and never stops the other sources. */
  load(): Promise<readonly Tool[]>;
  /** Calls back when the tools may have changed and should be loaded again; returns how to stop. */
  watch?(changed: () => void): () => void;
  close?(): Promise<void>;
}
