/** F1: workers are killed while jobs run. Nothing is lost, nothing happens twice, doubt is said. */
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CribHost } from '../../src/contract/crib-host.ts';
import type { Job } from '../../src/contract/queue.ts';
import type { Runtime } from '../../src/contract/runtime.ts';
import { createRuntime } from '../../src/crib/create-runtime.ts';
import { ENGINES, type Engine, isEngineMissing, startEngine } from '../fixtures/engines.ts';
import { type EffectsFile, followEffects } from './programs/effects-file.ts';
import { type Program, startProgram } from './programs/start-program.ts';
import { isFull, sayProgress, sized, TIME_LIMIT } from './size.ts';

const KILLS = sized(4, 200);
const JOBS = sized(80, 10_000);
const JOBS_A_KILL = JOBS / KILLS;
/** Workers that are alive at once: while one is replaced, the others go on. */
const WORKERS = sized(2, 3);
/** The lease of a process in PostgreSQL; a dead one is known when it is over. */
const LEASE_MS = sized(2_000, 10_000);
/** A victim that gets no job is killed all the same. */
const PATIENCE_MS = 1_000;
/** A new worker has its first effect within this time after it has opened its queue. */
const RESUME_MS = 5_000;

/** On a machine with more to do than it can, times say nothing. */
const isBusy = (): boolean => (loadavg()[1] ?? 0) > availableParallelism() * 2;

interface Worker extends Program {
  /** How long its first effect took, once it is there. */
  readonly resumed: Promise<number | undefined>;
}

const startWorker = ({ root, env }: Engine, effects: EffectsFile): Worker => {
  const program = startProgram('pair-worker.mjs', [root], env);
  let isOver = false;
  void program.ended.then(() => {
    isOver = true;
  });
  const resumed = program.said('works').then(
    async () => {
      const openedAt = performance.now();
      while (effects.of(program.child.pid) === 0 && !isOver) await wait(5);
      return effects.of(program.child.pid) === 0 ? undefined : performance.now() - openedAt;
    },
    () => undefined,
  );
  return { ...program, resumed };
};

const addJobs = async (crib: CribHost, first: number): Promise<void> => {
  const backoff = { initialMs: 10, factor: 1, maxMs: 10 };
  const numbers = Array.from({ length: JOBS_A_KILL }, (_, at) => first + at);
  await Promise.all(
    numbers.map((n) =>
      crib.jobs.enqueue('pair', { n }, { idempotencyKey: `pair-${n}`, backoff, retries: 20 }),
    ),
  );
};

/** Ends the victim right after one of its effects, when its outcome is hardly on record. */
const killAfterEffect = async (victim: Worker, effects: EffectsFile): Promise<void> => {
  const before = effects.of(victim.child.pid);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    effects.look();
    if (effects.of(victim.child.pid) > before || performance.now() > deadline) break;
    await wait(0);
  }
  victim.child.kill('SIGKILL');
  await victim.ended;
};

const unfinished = async (crib: CribHost): Promise<number> => {
  const { waiting, delayed, active } = (await crib.jobs.counts()).default ?? {
    ...{ waiting: 1, delayed: 0, active: 0 },
  };
  return waiting + delayed + active;
};

/** Puts jobs back that are dead because three of their workers were killed: a person would do so. */
const requeueKilled = async (crib: CribHost): Promise<number> => {
  const dead = await crib.jobs.list({ state: 'dead', limit: 1_000 });
  const killed = dead.filter(({ error }) => error?.inDoubt === undefined);
  for (const { error } of killed) expect(error?.message).toMatch(/worker|process/i);
  for (const { id } of killed) expect(await crib.jobs.requeue(id)).toBe(true);
  return killed.length;
};

const finish = async (crib: CribHost, effects: EffectsFile): Promise<void> => {
  do {
    while ((await unfinished(crib)) > 0) {
      await wait(100);
      effects.look();
    }
  } while ((await requeueKilled(crib)) > 0);
  effects.look();
};

const PAGE = 1_000;

/** Reads page by page; jobs that were added in the same millisecond come again on the next page. */
const allJobs = async (crib: CribHost): Promise<readonly Job[]> => {
  const jobs = new Map<string, Job>();
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await crib.jobs.list({ before, limit: PAGE });
    for (const job of page) jobs.set(job.id, job);
    if (page.length < PAGE) return [...jobs.values()];
    before = (page.at(-1)?.createdAt ?? 0) + 1;
  }
};

/** Every job is completed with both effects, or dead with the call named that is in doubt. */
const judge = async (crib: CribHost, effects: EffectsFile): Promise<number> => {
  expect(effects.twice()).toEqual([]);
  const jobs = await allJobs(crib);
  expect(new Set(jobs.map(({ payload }) => (payload as { n: number }).n)).size).toBe(JOBS);
  const made = new Set(effects.effects);
  const wrong = jobs.filter(({ state, payload, error }) => {
    const { n } = payload as { readonly n: number };
    if (state === 'dead') return error?.inDoubt === undefined;
    return !(made.has(`${n}-a`) && made.has(`${n}-b`));
  });
  expect(wrong).toEqual([]);
  return jobs.filter(({ state }) => state === 'dead').length;
};

/** The leases of those that were killed are over long before. */
const RECONCILE_MS = 2 * LEASE_MS + 30_000;

/** Opens the store as the next process would, until no killed worker counts as alive any more. */
const openReconciled = async (engine: Engine): Promise<CribHost> => {
  const deadline = performance.now() + RECONCILE_MS;
  for (;;) {
    const crib = await engine.open();
    const open = await (await crib.store()).intents.open();
    if (open.length === 0 || performance.now() > deadline) return crib;
    await crib.close();
    await wait(LEASE_MS / 4);
  }
};

/** What nobody knows the end of is on record as unknown, and nothing is left open. */
const judgeRecord = async (engine: Engine, inDoubt: number): Promise<void> => {
  const crib = await openReconciled(engine);
  try {
    const store = await crib.store();
    expect(await store.intents.open()).toEqual([]);
    const unknown = await store.audit.query({ status: 'unknown', limit: 10_000 });
    expect(unknown.length).toBeGreaterThanOrEqual(inDoubt);
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
  } finally {
    await crib.close();
  }
};

describe.each(ENGINES)('F1: kill -9 while jobs run on %s', (name) => {
  it.skipIf(isEngineMissing(name))(
    'loses no job, repeats no effect, and names what is in doubt',
    async () => {
      const engine = await startEngine(name, { leaseMs: LEASE_MS });
      const effects = followEffects(engine.root);
      const crib = await engine.open();
      // This process only adds jobs.
      crib.jobs.register('pair', () => undefined);
      const workers = Array.from({ length: WORKERS }, () => startWorker(engine, effects));
      const replaced: Worker[] = [];
      try {
        await Promise.all(workers.map(({ said }) => said('works')));
        for (let kill = 0; kill < KILLS; kill++) {
          await addJobs(crib, kill * JOBS_A_KILL);
          const at = kill % WORKERS;
          const victim = workers[at] as Worker;
          await victim.said('works');
          // Kills are spread over all jobs: half of those that are there have been done.
          for (effects.look(); effects.effects.length < kill * JOBS_A_KILL; effects.look())
            await wait(5);
          await killAfterEffect(victim, effects);
          workers[at] = startWorker(engine, effects);
          replaced.push(workers[at]);
          if ((kill + 1) % 10 === 0) {
            sayProgress(`F1 ${name}: ${kill + 1} kills, ${effects.effects.length} effects`);
          }
        }
        await finish(crib, effects);
        const inDoubt = await judge(crib, effects);
        for (const { say } of workers) say('end');
        await Promise.all(workers.map(({ ended }) => ended));
        const times = (await Promise.all(replaced.map(({ resumed }) => resumed))).filter(
          (ms) => ms !== undefined,
        );
        const longest = Math.round(Math.max(...times));
        console.log(`${name}: ${inDoubt} jobs in doubt, longest resume ${longest} ms`);
        if (isFull && !isBusy()) expect(longest).toBeLessThan(RESUME_MS);
        await judgeRecord(engine, inDoubt);
      } finally {
        for (const { child } of workers) child.kill('SIGKILL');
        await crib.close();
        await engine.close();
      }
    },
    TIME_LIMIT,
  );
});

/** The clock of a process that looks for interrupted calls every 200 ms instead of every 30 s. */
const impatientRuntime = (): Runtime => {
  const runtime = createRuntime();
  const after: Runtime['after'] = (ms, run) => runtime.after(ms === 30_000 ? 200 : ms, run);
  return { ...runtime, after };
};

describe.each(ENGINES)('R6: a neighbour that is killed on %s', (name) => {
  it.skipIf(isEngineMissing(name))(
    'leaves no call open for the process that lives on',
    async () => {
      const engine = await startEngine(name, { leaseMs: LEASE_MS });
      const effects = followEffects(engine.root);
      const crib = await engine.open({ runtime: impatientRuntime() });
      crib.jobs.register('pair', () => undefined);
      const { intents, audit } = await crib.store();
      const worker = startWorker(engine, effects);
      try {
        await worker.said('works');
        await addJobs(crib, 0);
        for (; effects.of(worker.child.pid) === 0; effects.look()) await wait(5);
        await killAfterEffect(worker, effects);
        await expect.poll(() => intents.open(), { timeout: RECONCILE_MS }).toEqual([]);
        const unknown = await audit.query({ status: 'unknown', limit: 1_000 });
        expect(unknown.length).toBeGreaterThan(0);
      } finally {
        worker.child.kill('SIGKILL');
        await crib.close();
        await engine.close();
      }
    },
    TIME_LIMIT,
  );
});
