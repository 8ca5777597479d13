/** The dependencies of a crib's member groups, and the parts that are open with the store. */
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import type { AutoCheckpoints } from '../../governance/audit/auto-checkpoints.ts';
import type { Retention } from '../../governance/audit/retention.ts';
import type { BudgetLimits } from '../../governance/ledger/budget.ts';
import type { StartLimits } from '../../governance/ledger/start-limits.ts';
import type { SigningKey } from '../../governance/signing/open-signing-key.ts';
import type { Engine } from '../../pipeline/engine.ts';
import type { StartingCalls } from './starting-calls.ts';

export interface Opened {
  readonly store: Store;
  readonly engine: Engine;
  /** Set where `audit.retentionDays` is. */
  readonly retention: Pick<Retention, 'start' | 'stop'> | undefined;
  /** Set where `audit.checkpoints` says where they go. */
  readonly checkpoints: Pick<AutoCheckpoints, 'start' | 'stop'> | undefined;
}

export interface MemberDeps {
  readonly runtime: Runtime;
  readonly limits: BudgetLimits;
  /** What one caller may start in the background. */
  readonly starts: StartLimits;
  readonly linkBaseUrl: string | undefined;
  /** Opens the key that signs checkpoints and links; made when first needed. */
  signingKey(): Promise<SigningKey>;
  /** Opens the store on first use. Rejects after `close`. */
  open(): Promise<Opened>;
  readonly starting: StartingCalls;
  /** Returns the engine if it is open already. */
  engine(): Engine | undefined;
}
