/** An agent that starts runs and jobs, or sends events, without end is refused, at every door; others go on. */
import { afterEach, describe, expect, it } from 'vitest';
import { ENGINES, isEngineMissing, startEngine } from '../../../test/fixtures/engines.ts';
import { openHttp } from '../../../test/fixtures/http-surface.ts';
import { openSurface, textOf } from '../../../test/fixtures/mcp-surface.ts';
import { twice } from '../../../test/fixtures/mcp-tasks.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import { ToolFailure } from '../../contract/errors.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const RATE = { perMinute: 10, perHour: 20 };
const config = { budget: { starts: { runs: RATE, jobs: RATE, events: RATE } } };
const NOON = Date.UTC(2027, 0, 1, 12);

const paid = defineFlow({
  ...{ name: 'paid', version: '1.0.0' },
  run: (flow) => flow.waitForEvent('paid'),
});
const nothing = defineFlow({ name: 'nothing', version: '1.0.0', run: async () => 'done' });

/** Does the same many times at once; returns how often it was done, and how it was refused. */
const tryMany = async (times: number, start: (at: number) => Promise<unknown>) => {
  const ends = await Promise.allSettled(Array.from({ length: times }, (_, at) => start(at)));
  const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  for (const refusal of refusals) expect(refusal).toBeInstanceOf(ToolFailure);
  return { done: times - refusals.length, refusals: refusals as readonly ToolFailure[] };
};

describe.each(ENGINES)('starts of one caller, counted in %s', (name) => {
  it.skipIf(isEngineMissing(name))(
    'two processes together admit exactly the limit, and another caller is not held back',
    { timeout: 60_000 },
    async () => {
      const engine = await startEngine(name);
      cleanup.push(() => engine.close());
      let now = NOON;
      const cribs = await Promise.all(
        [1, 2].map(() => engine.open({ config, runtime: { now: () => now } })),
      );
      cleanup.push(() => Promise.all(cribs.map((crib) => crib.close())));
      for (const crib of cribs) {
        crib.flows.register(nothing);
        crib.jobs.register('work', () => undefined);
      }
      const agent = { userId: 'mallory', agentId: 'bot' };
      const of = (at: number) => cribs[at % 2] as (typeof cribs)[number];
      const run = (at: number) => of(at).flows.start('nothing', {}, agent);
      const job = (at: number) => of(at).jobs.enqueue('work', { at }, agent);

      const [runs, jobs] = await Promise.all([tryMany(40, run), tryMany(40, job)]);
      expect([runs.done, jobs.done]).toEqual([10, 10]);
      for (const { code, extras } of [...runs.refusals, ...jobs.refusals]) {
        expect(code).toBe('RATE_LIMITED');
        expect(extras.retryAfterMs).toBe(60_000);
      }
      expect(await of(0).flows.list({ userId: 'mallory' })).toHaveLength(10);
      expect(await of(0).jobs.list({ userId: 'mallory' })).toHaveLength(10);

      const other = { userId: 'alice', agentId: 'bot' };
      expect((await tryMany(10, (at) => of(at).jobs.enqueue('work', { at }, other))).done).toBe(10);
      expect((await tryMany(30, (at) => of(at).jobs.enqueue('work', { at }))).done).toBe(30);

      now += 60_000;
      expect((await tryMany(15, run)).done).toBe(10);
      now += 60_000;
      const third = await tryMany(1, run);
      expect(third.refusals[0]?.extras.retryAfterMs).toBe(58 * 60_000);
    },
  );
});

describe('starts of one caller', () => {
  it('schedules count as jobs, also those that are removed again', async () => {
    const { crib, close } = await openHttp([], {}, { config });
    cleanup.push(close);
    crib.jobs.register('work', () => undefined);
    const mallory = { userId: 'mallory' };
    const { done } = await tryMany(15, async (at) => {
      await crib.jobs.schedule(`s${at}`, { cron: '0 0 1 1 *', type: 'work', ...mallory });
      await crib.jobs.unschedule(`s${at}`, mallory);
    });
    expect(done).toBe(10);
  });

  it('threat: resumes count as runs, also where nothing is changed; the program itself has no limit', async () => {
    const { crib, close } = await openHttp([], {}, { config });
    cleanup.push(close);
    crib.flows.register(paid);
    const mallory = { userId: 'mallory' };
    const { runId } = await crib.flows.start('paid', {}, mallory);
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
    const { done, refusals } = await tryMany(30, () => crib.flows.resume(runId, {}, mallory));
    expect(done).toBe(9);
    for (const { code } of refusals) expect(code).toBe('RATE_LIMITED');
    expect((await tryMany(15, () => crib.flows.resume(runId))).done).toBe(15);
  });

  it('events that it sends to a run are limited in number and size', async () => {
    const { crib, close } = await openHttp([], {}, { config });
    cleanup.push(close);
    crib.flows.register(paid);
    const mallory = { userId: 'mallory' };
    const { runId } = await crib.flows.start('paid', {}, mallory);
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
    const send = (event: string, payload: unknown = 1) =>
      crib.flows.send(runId, event, payload, mallory);
    await expect(send('paid', 'x'.repeat(300_000))).rejects.toMatchObject({
      ...{ code: 'VALIDATION_ERROR', message: expect.stringContaining('at most 262144') },
    });
    const { done, refusals } = await tryMany(15, () => send('other'));
    expect(done).toBe(9);
    for (const { code } of refusals) expect(code).toBe('RATE_LIMITED');
    // None of them was worth a turn.
    expect((await crib.flows.get(runId))?.wakeAt).toBeUndefined();
    expect(await crib.flows.send(runId, 'paid', 2)).toBe(true);
    expect((await crib.flows.get(runId))?.wakeAt).toBeDefined();
  });

  it.each([
    ['* * * * * *', false],
    ['59,58 59 23 31 12 *', false],
    // At this clock the first moment is the last of its minute.
    ['0,59 0 12 * * *', false],
    ['* 0 4 29 2 *', false],
    ['30 * * * * *', true],
    ['* * * * *', true],
    ['@hourly', true],
  ])(
    'a schedule with the pattern %s makes more than one job a minute for nobody but the program',
    async (cron, isTaken) => {
      const { crib, close } = await openHttp([], {}, { runtime: { now: () => NOON + 30_000 } });
      cleanup.push(close);
      crib.jobs.register('work', () => undefined);
      const set = (as: object) => crib.jobs.schedule('s', { cron, type: 'work', ...as });
      for (const as of [{ userId: 'mallory' }, { authenticated: { ...LOCAL_CALLER } }]) {
        const { done, refusals } = await tryMany(1, () => set(as));
        expect(done).toBe(isTaken ? 1 : 0);
        if (!isTaken) expect(refusals[0]?.code).toBe('RATE_LIMITED');
        await crib.jobs.unschedule('s');
      }
      await expect(set({})).resolves.toMatchObject({ cron });
    },
  );

  it('over HTTP: an agent under several names is one caller, and learns when to try again', async () => {
    const { crib, ask, tokens, close } = await openHttp([], {}, { config });
    cleanup.push(close);
    crib.flows.register(nothing);
    crib.jobs.register('work', () => undefined, { openToAgents: true });
    const post = (path: string, token: string, at: number) => {
      const names = { agentId: `name-${at}`, sessionId: `session-${at}` };
      const body = path.endsWith('jobs') ? { type: 'work', ...names } : { input: {}, ...names };
      return ask(path, { method: 'POST', token, body });
    };
    for (const path of ['/v1/jobs', '/v1/flows/nothing/runs']) {
      const answers = [];
      for (let at = 0; at < 12; at++) answers.push(await post(path, tokens.agent, at));
      expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(201), 429, 429]);
      expect(Number(answers[10]?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answers[10]?.json).toMatchObject({ error: { code: 'RATE_LIMITED' } });
      expect((await post(path, tokens.operator, 0)).status).toBe(201);
    }
  });

  it('over MCP: a client gets RATE_LIMITED in place of a run', async () => {
    const { crib, client, close } = await openSurface([aTool()], {}, { config });
    cleanup.push(close);
    await crib.flows.registerData(twice);
    const mcp = await client('modern');
    const replies = [];
    for (let at = 0; at < 11; at++) {
      replies.push(await mcp.callTool({ name: 'flow_twice', arguments: { text: `hi ${at}` } }));
    }
    expect(replies.slice(0, 10).every(({ isError }) => !isError)).toBe(true);
    expect(replies[10]).toMatchObject({ isError: true });
    expect(textOf(replies[10] as never)).toContain('RATE_LIMITED');
    expect(await crib.flows.list({ flow: 'twice' })).toHaveLength(10);
  });
});
