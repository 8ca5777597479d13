/** What the groups of a crib's members are handed: the open store and engine, and what is fixed. */
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import type { AutoCheckpoints } from '../../governance/audit/auto-checkpoints.ts';
import type { Retention } from '../../governance/audit/retention.ts';
import type { BudgetLimits } from '../../governance/ledger/budget.ts';
import type { SigningKey } from '../../governance/signing/open-signing-key.ts';
import type { Engine } from '../../pipeline/engine.ts';
import type { StartingCalls } from './starting-calls.ts';

export interface Opened {
  readonly store: Store;
  readonly engine: Engine;
  /** Where the record is not kept for ever. */
  readonly retention: Pick<Retention, 'start' | 'stop'> | undefined;
  /** Where checkpoints are made without being asked for. */
  readonly checkpoints: Pick<AutoCheckpoints, 'start' | 'stop'> | undefined;
}

export interface MemberDeps {
  readonly runtime: Runtime;
  readonly limits: BudgetLimits;
  readonly linkBaseUrl: string | undefined;
  /** The key checkpoints and links are signed with; made when it is first needed. */
  signingKey(): Promise<SigningKey>;
  /** Opens the store on first use. Rejects after `close`. */
  open(): Promise<Opened>;
  readonly starting: StartingCalls;
  /** The engine, where it is open already. */
  engine(): Engine | undefined;
}
