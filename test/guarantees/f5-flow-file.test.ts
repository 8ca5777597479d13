/** F5: one flow file on both engines; one worker is killed, one is frozen for long and woken. */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CribHost } from '../../src/contract/crib-host.ts';
import type { FlowRun } from '../../src/contract/flow-store.ts';
import { ENGINES, type Engine, isEngineMissing, startEngine } from '../fixtures/engines.ts';
import { type EffectsFile, followEffects } from './programs/effects-file.ts';
import { type Program, startProgram } from './programs/start-program.ts';
import { sized, TIME_LIMIT } from './size.ts';

const RUNS = sized(60, 1_000);
const EFFECTS_A_RUN = 5;
/** Besides the one that is killed and the one that is frozen. */
const OTHERS = sized(1, 2);
/** In full the lease is what every process has: 30 seconds. */
const LEASE_MS = sized(1_500, undefined);
const FROZEN_MS = sized(4_000, 60_000);

const addRuns = async (crib: CribHost): Promise<void> => {
  const numbers = Array.from({ length: RUNS }, (_, n) => n);
  await Promise.all(
    numbers.map((n) => {
      const payload = { flow: 'effects', input: { n }, runId: `run-${n}` };
      return crib.jobs.enqueue('flow', payload, { idempotencyKey: `run-${n}`, retries: 20 });
    }),
  );
};

const untilEffects = async (effects: EffectsFile, count: number): Promise<void> => {
  for (effects.look(); effects.effects.length < count; effects.look()) await wait(1);
};

const isOver = ({ status }: FlowRun): boolean => status === 'completed' || status === 'blocked';

const finishedRuns = async (crib: CribHost): Promise<readonly FlowRun[]> => {
  for (;;) {
    const runs = await crib.flows.list({ limit: 1_000 });
    if (runs.length === RUNS && runs.every(isOver)) return runs;
    await wait(200);
  }
};

/** A run is complete with all its effects, or blocked with the call named that is in doubt. */
const judge = (runs: readonly FlowRun[], effects: EffectsFile): number => {
  effects.look();
  expect(effects.twice()).toEqual([]);
  const counts = new Map<string, number>();
  for (const effect of effects.effects) {
    const [n = ''] = effect.split('-');
    counts.set(n, (counts.get(n) ?? 0) + 1);
  }
  const blocked = runs.filter(({ status }) => status === 'blocked');
  for (const { waitsFor } of blocked) {
    expect(waitsFor).toMatchObject([expect.stringMatching(/^call:x/)]);
  }
  const wrong = runs.filter(({ status, input }) => {
    const { n } = input as { readonly n: number };
    return status === 'completed' && counts.get(`${n}`) !== EFFECTS_A_RUN;
  });
  expect(wrong).toEqual([]);
  return blocked.length;
};

const start = ({ root, env }: Engine): Program => startProgram('flow-file-worker.mjs', [root], env);

describe.each(ENGINES)('F5: one flow file on %s', (name) => {
  it.skipIf(isEngineMissing(name))(
    'loses nothing and repeats nothing when one worker is killed and one is frozen and woken',
    async () => {
      const engine = await startEngine(name, { leaseMs: LEASE_MS });
      const effects = followEffects(engine.root);
      const crib = await engine.open();
      const [killed, frozen] = [start(engine), start(engine)];
      const others: Program[] = [];
      try {
        await Promise.all([killed, frozen].map(({ said }) => said('works')));
        await addRuns(crib);
        await untilEffects(effects, (RUNS * EFFECTS_A_RUN) / 2);
        killed.child.kill('SIGKILL');
        frozen.child.kill('SIGSTOP');
        others.push(...Array.from({ length: OTHERS }, () => start(engine)));
        await wait(FROZEN_MS);
        frozen.child.kill('SIGCONT');
        const blocked = judge(await finishedRuns(crib), effects);
        console.log(`${name}: ${RUNS} runs, ${blocked} blocked because a call is in doubt`);
        for (const { say } of [frozen, ...others]) say('end');
        const ends = await Promise.all([frozen, ...others].map(({ ended }) => ended));
        expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));
        effects.look();
        expect(effects.twice()).toEqual([]);
        expect(await crib.audit.verify()).toMatchObject({ ok: true });
      } finally {
        for (const { child } of [killed, frozen, ...others]) child.kill('SIGKILL');
        await crib.close();
        await engine.close();
      }
    },
    TIME_LIMIT,
  );
});
