/** The threat: a process that was silent past its lease wakes up while another one recovers what it held. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  auditEntry,
  intentEntry,
  NOW,
  toolResult,
} from '../../../test/conformance/store-samples.ts';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { Store } from '../../contract/store.ts';
import { reconcile } from '../../pipeline/record/reconcile.ts';

const LEASE_MS = 300;

describe.skipIf(isPostgresMissing())('an owner that was silent past its lease', () => {
  const { open, newSchema, server } = usePostgres();

  /** A store without heartbeats, and one that recovers. */
  const openBoth = async () => {
    const schema = newSchema();
    const silent = await open({ schema, leaseMs: LEASE_MS, runtime: fakeRuntime() });
    const store = await open({ schema });
    return { silent, store };
  };

  it('that begins its call while its key is being freed keeps the key: the tool runs once', async () => {
    const { silent, store } = await openBoth();
    const effects: string[] = [];
    const tool = aTool({ tier: 'write', run: () => effects.push('recovering') });
    let key = '';
    let isAwake = false;
    const wake = async () => {
      if (isAwake) return;
      isAwake = true;
      await silent.audit.intend([intentEntry('silent')], [{ key, executionId: 'silent' }]);
      effects.push('silent');
    };
    const { replays } = store;
    const watched: Store['replays'] = {
      claim: async (request) => {
        if (key === '') {
          key = request.key;
          await silent.replays.claim({ ...request, executionId: 'silent' });
          await pause(LEASE_MS + 50);
        }
        return replays.claim(request);
      },
      finish: (...given) => replays.finish(...given),
      abandon: async (...given) => {
        await wake();
        await replays.abandon(...given);
      },
      abandonDead: async (...given) => {
        await wake();
        return replays.abandonDead(...given);
      },
      forget: (...given) => replays.forget(...given),
      settle: (...given) => replays.settle(...given),
    };
    const crib = await testCrib([tool], { store: { ...store, replays: watched } });
    const result = await crib.execute('echo', {}, { idempotencyKey: 'k' });
    expect(result.error?.code).toBe('CONFLICT');
    expect(effects).toEqual(['silent']);
    await silent.audit.append(auditEntry({ executionId: 'silent' }));
    await crib.close();
    await silent.close();
  });

  it('that begins its call while holds are being recovered keeps its hold, and books what it cost', async () => {
    const { silent, store } = await openBoth();
    const scopes = [{ key: 'user:u', limitMicros: 100 }];
    await silent.ledger.reserve({ executionId: 'silent', scopes, amountMicros: 60 });
    await pause(LEASE_MS + 50);
    const intents: Store['intents'] = {
      open: async () => {
        const open = await store.intents.open();
        await silent.audit.intend([intentEntry('silent')], []);
        return open;
      },
      conclude: (outcome) => store.intents.conclude(outcome),
    };
    const inspect = async () => 'unknown' as const;
    const deps = { store: { ...store, intents }, now: () => NOW, inspect };
    expect(await reconcile(deps)).toEqual([]);
    expect(await store.ledger.lines('user:')).toMatchObject([{ heldMicros: 60, spentMicros: 0 }]);
    await silent.ledger.settle('silent', { micros: 55, tokens: 0 });
    expect(await store.ledger.lines('user:')).toMatchObject([{ heldMicros: 0, spentMicros: 55 }]);
    await Promise.all([store.close(), silent.close()]);
  });

  it('whose intent and the end of a key are written at once fails neither of them', async () => {
    const schema = newSchema();
    const store = await open({ schema });
    const claim = { key: 'k', executionId: 'e' };
    await store.replays.claim({ ...claim, digest: 'd', now: NOW });
    // The intent waits once it has looked at its claim, and both have to renew the lease.
    await server().sql(`CREATE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$;
      CREATE TRIGGER wait BEFORE INSERT ON ${schema}.audit
      FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.wait();
      UPDATE ${schema}.owners SET heartbeat_at = heartbeat_at - interval '15 s'`);
    const intent = store.audit.intend([intentEntry('e')], [claim]);
    await pause(200);
    await Promise.all([intent, store.replays.finish(claim, toolResult(1), NOW + 1000)]);
    await store.close();
  });
});
