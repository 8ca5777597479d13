/** The suite that every store driver passes. A driver's own test calls it and adds its oddities. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { describeAlerts } from './store-alerts.ts';
import { describeAudit } from './store-audit.ts';
import { describeClaims } from './store-claims.ts';
import { describeContent } from './store-content.ts';
import { describeFlows } from './store-flows.ts';
import { describeLedger } from './store-ledger.ts';
import { describeRollUps } from './store-roll-ups.ts';
import { describeRunLists } from './store-run-lists.ts';
import { type OpenStore, times } from './store-samples.ts';
import { describeTokens } from './store-tokens.ts';
import { describeVectors } from './store-vectors.ts';

export const describeStore = (name: string, open: OpenStore): void => {
  const use = async (test: (store: Store) => Promise<void>): Promise<void> => {
    const { store, cleanup } = await open();
    try {
      await test(store);
    } finally {
      await store.close();
      await cleanup();
    }
  };

  describe(`${name}: store`, () => {
    it('says what it is, and closes twice without complaint', () =>
      use(async (store) => {
        expect(store.label).toMatch(/\w/);
        await Promise.all(times(3, () => store.close()));
      }));

    describeAudit(use);
    describeLedger(use);
    describeClaims(use);
    describeContent(use);
    describeTokens(use);
    describeFlows(use);
    describeRunLists(use);
    describeVectors(use);
    describeRollUps(use);
    describeAlerts(use);
  });
};
