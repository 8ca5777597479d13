/** Makes a store that lives as long as its process, for tests and throw-away cribs. */
import type { Store } from '../../contract/store.ts';
import { memoryApprovals } from './memory-approvals.ts';
import { memoryAudit } from './memory-audit.ts';
import { memoryCounters } from './memory-counters.ts';
import { MemoryFlows } from './memory-flows.ts';
import { memoryGrants } from './memory-grants.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { memoryReplays } from './memory-replays.ts';
import { memoryResults } from './memory-results.ts';
import { memoryRollUps } from './memory-roll-ups.ts';
import { memorySnapshots } from './memory-snapshots.ts';
import { memorySpaces } from './memory-spaces.ts';
import { memoryTokens } from './memory-tokens.ts';
import { memoryVectors } from './memory-vectors.ts';

/**
 * Makes a store in memory. It is gone with the process, and no other process sees it.
 *
 * @example
 * import { createMemoryStore } from 'toolcrib/stores/memory';
 *
 * const volatile = await createCrib({ store: createMemoryStore() });
 */
export const createMemoryStore = (): Store => ({
  label: 'memory',
  ...memoryAudit(),
  ledger: new MemoryLedger(),
  counters: memoryCounters(),
  replays: memoryReplays(),
  memory: memorySpaces(),
  snapshots: memorySnapshots(),
  approvals: memoryApprovals(),
  grants: memoryGrants(),
  tokens: memoryTokens(),
  results: memoryResults(),
  flows: new MemoryFlows(),
  vectors: memoryVectors(),
  rollUps: memoryRollUps(),
  close: () => Promise.resolve(),
});
