/** Answers that are lost after the server has committed: nobody is left with a claim that nobody knows of. */
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NOW, times } from '../../../test/conformance/store-samples.ts';
import { type FakeRuntime, fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { type LossyProxy, openLossyProxy } from '../../../test/fixtures/lossy-proxy.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import type { Store } from '../../contract/store.ts';

const run = (id: string, parts: Partial<FlowRun> = {}): FlowRun => ({
  id,
  ...{ epoch: 1, flow: 'report', version: '1.0.0', input: {}, caller: LOCAL_CALLER },
  ...{ status: 'sleeping', wakeAt: NOW, createdAt: NOW, updatedAt: NOW },
  ...parts,
});

const CLAIM = { now: NOW + 10_000, flows: new Set(['report@1.0.0']), limit: 64 };
const UNAVAILABLE = { code: 'STORE_UNAVAILABLE' };

describe.skipIf(isPostgresMissing())('a PostgreSQL store that loses answers', () => {
  const { server, open } = usePostgres();
  let proxy: LossyProxy;
  let store: Store;
  beforeEach(async () => {
    proxy = await openLossyProxy(server().folder);
    store = await open({ url: proxy.url });
  });
  afterEach(async () => {
    await store.close();
    await proxy.close();
  });

  const addDue = (ids: readonly string[], parts: Partial<FlowRun> = {}) =>
    Promise.all(ids.map((id) => store.flows.create(run(id, parts), { isReleased: true })));
  const claimedIds = async () => (await store.flows.claim(CLAIM)).map(({ id }) => id).toSorted();

  it('claims runs again whose claim was committed and not answered', async () => {
    const ids = times(5, (n) => `run-${n}`);
    await addDue(ids);
    const lost = proxy.loseAnswerTo('"op":"exchange"');
    await expect(store.flows.claim(CLAIM)).rejects.toMatchObject(UNAVAILABLE);
    await lost;
    const claimed = await store.flows.claim(CLAIM);
    expect(claimed.map(({ id }) => id).toSorted()).toEqual(ids);
    for (const each of claimed) await store.flows.record(each, []);
    expect(await claimedIds()).toEqual([]);
  });

  it('claims a run whose creation was committed and not answered', async () => {
    const lost = proxy.loseAnswerTo('"op":"create"');
    const child = run('child', { status: 'running' });
    await expect(store.flows.create(child)).rejects.toMatchObject(UNAVAILABLE);
    await lost;
    expect(await store.flows.create(child)).toBe(false);
    expect(await claimedIds()).toEqual(['child']);
    expect(await claimedIds()).toEqual([]);
  });

  it('does not take a run from its holder after an earlier claim of it was not answered', async () => {
    await addDue(['run']);
    const lost = proxy.loseAnswerTo('"op":"exchange"');
    await expect(store.flows.claim(CLAIM)).rejects.toMatchObject(UNAVAILABLE);
    await lost;
    const [held] = await store.flows.claim(CLAIM);
    expect(await claimedIds()).toEqual([]);
    await store.flows.release(held ?? run('none'), { status: 'completed', updatedAt: NOW });
  });

  it('answers with the runs that it has claimed when the claim cannot go on', async () => {
    await addDue(['a']);
    await addDue(
      times(499, (n) => `b-${String(n).padStart(3, '0')}`),
      { version: '0.9.0' },
    );
    // The query of the second page names the last run of the first.
    const lost = proxy.loseAnswerTo('b-498');
    expect(await claimedIds()).toEqual(['a']);
    await lost;
  });

  /** A tool that changes something and counts its runs. */
  const openCrib = async (parts: object = {}) => {
    const seen = { runs: 0 };
    const tool = aTool({ tier: 'write', run: () => ++seen.runs, ...parts } as never);
    return { seen, crib: await testCrib([tool], { store }) };
  };

  it('frees the idempotency key of a call whose claim was not answered, for the next try', async () => {
    const { seen, crib } = await openCrib();
    const as = { idempotencyKey: 'k' };
    const lost = proxy.loseAnswerTo('"op":"claim"');
    expect(await crib.execute('echo', {}, as)).toMatchObject({ error: UNAVAILABLE });
    await lost;
    await crib.runtime.advance(1500);
    await expect.poll(() => crib.execute('echo', {}, as)).toMatchObject({ data: 1 });
    expect(seen.runs).toBe(1);
    await crib.close();
  });

  it.each([
    ['with a price', {}, '"op":"reserve"'],
    ['with a price and free calls, when its price is held', { freeTierLimit: 1 }, 'user:'],
  ])('releases what it holds for a call %s that was not answered', async (_title, free, text) => {
    const cost = { model: 'usage_based', fixed: 0.01, ...free };
    const { seen, crib } = await openCrib({ cost });
    const lost = proxy.loseAnswerTo(text);
    expect(await crib.execute('echo', {})).toMatchObject({ error: UNAVAILABLE });
    await lost;
    await crib.runtime.advance(1500);
    const held = async () =>
      (await store.ledger.lines('')).filter(({ heldCalls }) => heldCalls > 0);
    await expect.poll(held).toEqual([]);
    expect(seen.runs).toBe(0);
    await crib.close();
  });

  it('releases what a tool without a price held when it charged and was not answered', async () => {
    const run = async (_input: unknown, { charge }: ToolContext) => charge({ cost: 0.01 });
    const { crib } = await openCrib({ run });
    const lost = proxy.loseAnswerTo('"op":"reserve"');
    await crib.execute('echo', {});
    await lost;
    await crib.runtime.advance(1500);
    const held = async () =>
      (await store.ledger.lines('')).filter(({ heldCalls }) => heldCalls > 0);
    await expect.poll(held).toEqual([]);
    await crib.close();
  });

  it('closes the intent of a call that never ran when neither it nor its outcome was answered', async () => {
    const { seen, crib } = await openCrib();
    const lost = proxy.loseAnswerTo('\\"intent\\"').then(proxy.cut);
    expect(await crib.execute('echo', {})).toMatchObject({ error: UNAVAILABLE });
    await lost;
    proxy.restore();
    expect(await store.intents.open()).toHaveLength(1);
    await crib.runtime.advance(1500);
    await expect.poll(() => store.intents.open()).toEqual([]);
    expect(await store.audit.query({ kind: 'outcome' })).toMatchObject([
      { detail: { effect: 'not_done', late: true } },
    ]);
    expect(seen.runs).toBe(0);
    await crib.close();
  });
});

describe.skipIf(isPostgresMissing())(
  'a run of a PostgreSQL store whose claim was not answered',
  () => {
    const { server, url, newSchema, open } = usePostgres();
    let proxy: LossyProxy;
    let runtime: FakeRuntime;
    let schema: string;
    let store: Store;
    beforeEach(async () => {
      proxy = await openLossyProxy(server().folder);
      runtime = fakeRuntime(NOW);
      schema = newSchema();
      store = await open({ url: proxy.url, runtime, schema, lockTimeoutMs: 15_000 });
    });
    afterEach(async () => {
      await store.close();
      await proxy.close();
    });

    const claimedIds = async () => (await store.flows.claim(CLAIM)).map(({ id }) => id);
    const child = run('child', { status: 'running' });

    const loseClaim = async () => {
      await store.flows.create(run('run'), { isReleased: true });
      const lost = proxy.loseAnswerTo('"op":"exchange"');
      await expect(store.flows.claim(CLAIM)).rejects.toMatchObject(UNAVAILABLE);
      await lost;
    };

    /** Lets no write to flows begin until it is released. */
    const holdWrites = async () => {
      const client = new pg.Client({ connectionString: url() });
      await client.connect();
      await client.query(`SET search_path = ${schema}; BEGIN; SELECT take_lane('flows')`);
      return client;
    };

    /** Resolves when a write waits for the one that holds the others. */
    const writeWaits = () =>
      expect
        .poll(() =>
          server().sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"),
        )
        .toBe('1');

    it('is claimed again although the server was away for minutes since', async () => {
      await loseClaim();
      proxy.cut();
      for (const ms of [1000, 31_000, 120_000]) {
        await runtime.advance(ms);
        await expect(store.flows.claim(CLAIM)).rejects.toMatchObject(UNAVAILABLE);
      }
      proxy.restore();
      expect(await claimedIds()).toEqual(['run']);
      expect(await claimedIds()).toEqual([]);
    });

    it('is claimed when the server commits its creation only after an outage of minutes', async () => {
      const client = await holdWrites();
      const created = expect(store.flows.create(child)).rejects.toMatchObject(UNAVAILABLE);
      await writeWaits();
      proxy.cut();
      await created;
      await runtime.advance(120_000);
      proxy.restore();
      expect(await claimedIds()).toEqual([]);
      await client.query('COMMIT');
      await client.end();
      await expect.poll(() => store.flows.get('child')).toMatchObject({ id: 'child' });
      await runtime.advance(20_000);
      expect(await claimedIds()).toEqual(['child']);
    });

    it('is claimed again when somebody changes it while it is being given back', async () => {
      await loseClaim();
      const client = await holdWrites();
      const claimed = claimedIds();
      await writeWaits();
      await client.query('UPDATE flow_runs SET revision = revision + 1; COMMIT');
      await client.end();
      expect(await claimed).toEqual([]);
      expect(await claimedIds()).toEqual(['run']);
    });

    it('stays with its worker when the creation was repeated and then answered', async () => {
      proxy.cut();
      await expect(store.flows.create(child)).rejects.toMatchObject(UNAVAILABLE);
      proxy.restore();
      expect(await store.flows.create(child)).toBe(true);
      expect(await claimedIds()).toEqual([]);
      await store.flows.record(child, []);
    });
  },
);
