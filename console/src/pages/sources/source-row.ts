/** MCP servers and other sources as rows of one table. */
import type { StateMeaning } from '../../components/state-header.tsx';
import type { ServerStatus } from '../servers/server-records.ts';
import { stateMeaning } from '../servers/server-state.ts';
import type { SourceStatus } from './source-records.ts';
import { sourceMeaning } from './source-state.ts';

export interface SourceRow {
  /** `mcp`, or the kind of another source. */
  readonly kind: string;
  readonly name: string;
  readonly state: StateMeaning;
  readonly tools: number;
  readonly refused: number;
  /** When its definitions were read, or the server was started. */
  readonly at: number | undefined;
  readonly lastError: string | undefined;
}

export const rowsOf = (
  servers: readonly ServerStatus[],
  sources: readonly SourceStatus[],
): readonly SourceRow[] => [
  ...sources.map((source) => ({
    ...{ kind: source.kind, name: source.name, state: sourceMeaning(source) },
    ...{ tools: source.tools, refused: source.refused.length, at: source.readAt },
    lastError: source.lastError,
  })),
  ...servers.map((server) => ({
    ...{ kind: 'mcp', name: server.name, state: stateMeaning(server) },
    ...{ tools: server.tools, refused: 0, at: server.startedAt, lastError: server.lastError },
  })),
];
