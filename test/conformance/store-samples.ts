/** Entries, records and results that the store suites put in and expect back. */
import type { ApprovalRecord } from '../../src/contract/approver.ts';
import type { AuditEntry, AuditRow } from '../../src/contract/audit.ts';
import { LOCAL_CALLER } from '../../src/contract/caller.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import type { Store } from '../../src/contract/store.ts';

export interface OpenedStore {
  readonly store: Store;
  /** Opens the same data once more; absent where nothing outlives the store. */
  readonly reopen?: () => Promise<Store>;
  cleanup(): Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

export const NOW = 1_763_200_000_000;

export const auditEntry = (parts: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'outcome',
  executionId: 'exec-1',
  at: NOW,
  tool: 'calculator',
  version: '1.0.0',
  tier: 'read_only',
  userId: 'alice',
  agentId: 'agent-1',
  sessionId: 'session-1',
  status: 'success',
  code: '',
  durationMs: 1.25,
  costMicros: 0,
  detail: { input: { expression: '1+1' }, verdict: 'allow' },
  ...parts,
});

export const intentEntry = (executionId: string, parts: Partial<AuditEntry> = {}): AuditEntry =>
  auditEntry({ kind: 'intent', status: 'started', tier: 'write', executionId, ...parts });

export const approvalRecord = (
  id: string,
  parts: Partial<ApprovalRecord> = {},
): ApprovalRecord => ({
  id,
  userId: 'alice',
  agentId: 'agent-1',
  sessionId: 'session-1',
  tool: 'write_file',
  version: '1.0.0',
  inputDigest: 'digest',
  definition: 'd',
  targets: ['file:/r/a.txt'],
  policyVersion: '1',
  createdAt: NOW,
  expiresAt: NOW + 60_000,
  state: 'waiting',
  request: {
    id,
    caller: { ...LOCAL_CALLER, userId: 'alice', agentId: 'agent-1', sessionId: 'session-1' },
    tool: 'write_file',
    version: '1.0.0',
    description: 'Writes a file.',
    tier: 'write',
    action: 'write',
    input: { path: 'a.txt', content: 'ä\u0000\u202e' },
    estimatedCost: 0,
    estimatedTime: 10,
    effects: ['writes a.txt'],
    targets: ['file:/r/a.txt'],
    rule: 'r',
    definition: 'd',
    rememberable: true,
    reason: 'tier',
    expiresAt: NOW + 60_000,
  },
  ...parts,
});

export const toolResult = (data: unknown): ToolResult => ({
  success: true,
  status: 'success',
  data,
  metadata: {
    executionId: 'exec-1',
    toolName: 'calculator',
    version: '1.0.0',
    timestamp: NOW,
    duration: 2,
    attempts: 1,
    cost: 0.01,
    tokensUsed: 0,
    cached: false,
    degraded: false,
    resourcesUsed: [],
    traceId: 'trace',
    labels: { trust: 'trusted', sensitivity: 'public' },
  },
});

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const allRows = async (store: Store, fromSeq?: number): Promise<AuditRow[]> => {
  const rows: AuditRow[] = [];
  for await (const page of store.audit.scan(fromSeq)) rows.push(...page);
  return rows;
};

/** Strings that a careless driver confuses, cuts or mangles; no two may be taken for one another. */
export const AWKWARD_STRINGS = [
  '',
  ' ',
  'a',
  'A',
  'a\0',
  'a\0b',
  'a\ud800',
  'a\udfff',
  'a\ufffd',
  'a\uffff',
  'a\uffff0000',
  '\ufeffa',
  'ä',
  'a\u0308',
  '😀',
  "a'; DROP TABLE audit; --",
  '%',
  '_',
  '__proto__',
  'null',
] as const;
