/** Runs, steps and events: who owns a run, and what another process may do with it. */
import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../src/contract/caller.ts';
import {
  type FlowRun,
  type JournalStep,
  MAX_EVENT_BYTES_WAITING,
  MAX_EVENTS,
} from '../../src/contract/flow-store.ts';
import type { Store } from '../../src/contract/store.ts';
import { sha256Hex } from '../../src/kit/data/canonical-json.ts';
import { NOW, times } from './store-samples.ts';

export type Use = (test: (store: Store) => Promise<void>) => Promise<void>;

export const sampleRun = (id: string, parts: Partial<FlowRun> = {}): FlowRun => ({
  id,
  epoch: 1,
  flow: 'report',
  version: '1.0.0',
  input: { topic: 'tools' },
  caller: LOCAL_CALLER,
  status: 'running',
  createdAt: NOW,
  updatedAt: NOW,
  ...parts,
});

const sampleStep = (key: string, parts: Partial<JournalStep> = {}): JournalStep => ({
  key,
  kind: 'call',
  name: 'calculator',
  digest: 'd',
  state: 'done',
  position: 1,
  value: { result: 2 },
  startedAt: NOW,
  ...parts,
});

const CLAIM = { now: NOW + 10_000, flows: new Set(['report@1.0.0']), limit: 10 };

export const describeFlows = (use: Use): void => {
  describe('flows', () => {
    it('keeps a run and its steps in the order of their first writing', () =>
      use(async ({ flows }) => {
        const run = sampleRun('run-1');
        expect(await flows.create(run)).toBe(true);
        await flows.record(run, [sampleStep('b', { state: 'open' }), sampleStep('a')]);
        await flows.record(run, [sampleStep('b', { position: 2 })]);
        expect(await flows.get('run-1')).toEqual(run);
        expect((await flows.steps('run-1')).map(({ key, state }) => `${key} ${state}`)).toEqual([
          'b done',
          'a done',
        ]);
        expect(await flows.get('run-2')).toBeUndefined();
        expect(await flows.steps('run-2')).toEqual([]);
      }));

    it("creates a run with its first steps, and one whose turn is over as nobody's", () =>
      use(async ({ flows }) => {
        const run = sampleRun('run-1');
        const steps = [sampleStep('b'), sampleStep('a', { position: 2 })];
        expect(await flows.create(run, { steps })).toBe(true);
        expect(await flows.steps('run-1')).toEqual(steps);
        await flows.record(run, [sampleStep('c', { position: 3 })]);
        expect(await flows.create(run, { steps: [sampleStep('d')] })).toBe(false);
        expect(await flows.steps('run-1')).toHaveLength(3);
        const asleep = sampleRun('run-2', { status: 'sleeping', wakeAt: NOW });
        expect(await flows.create(asleep, { isReleased: true })).toBe(true);
        const late = flows.record(asleep, [sampleStep('a')]);
        await expect(late).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(await flows.claim(CLAIM)).toMatchObject([{ id: 'run-2' }]);
      }));

    it('keeps runs whose id is as long as the keys of eight runs within each other', () =>
      use(async ({ flows }) => {
        // Text that no database can compress.
        const long = (seed: string, parts: number) =>
          Array.from({ length: parts }, (_, n) => sha256Hex(`${seed} ${n}`)).join('.');
        const ids = [long('a', 120), `${long('a', 120)}.b`];
        const key = long('key', 15);
        for (const id of ids) {
          const run = sampleRun(id);
          expect(await flows.create(run)).toBe(true);
          await flows.record(run, [sampleStep(key, { value: id })]);
          expect(await flows.send(id, { name: 'go', payload: id, at: NOW })).toBe(true);
          const asleep = { status: 'sleeping', wakeAt: NOW, updatedAt: NOW } as const;
          await flows.release(run, asleep, { steps: [sampleStep('after', { position: 2 })] });
        }
        for (const id of ids) {
          expect(await flows.get(id)).toMatchObject({ id, status: 'sleeping' });
          const steps = await flows.steps(id);
          expect(steps.map((step) => [step.key, step.value])).toContainEqual([key, id]);
          expect(await flows.events(id)).toMatchObject([{ payload: id }]);
        }
        expect((await flows.claim(CLAIM)).map(({ id }) => id).toSorted()).toEqual(ids);
      }));

    it('makes one run of an id, whoever asks how often', () =>
      use(async ({ flows }) => {
        const made = await Promise.all(times(5, () => flows.create(sampleRun('same'))));
        expect(made.filter(Boolean)).toHaveLength(1);
      }));

    it('claims only the named runs and those that they have started, where some are named', () =>
      use(async ({ flows }) => {
        const due = { status: 'sleeping', wakeAt: NOW } as const;
        const outerFlows = [{ flowId: 'mine' }];
        await flows.create(sampleRun('other', due), { isReleased: true });
        await flows.create(sampleRun('mine', due), { isReleased: true });
        await flows.create(sampleRun('child', { ...due, outerFlows }), { isReleased: true });
        const own = await flows.claim({ ...CLAIM, within: new Set(['mine']) });
        expect(own.map(({ id }) => id).toSorted()).toEqual(['child', 'mine']);
        expect(await flows.claim({ ...CLAIM, within: new Set() })).toEqual([]);
        expect(await flows.claim(CLAIM)).toMatchObject([{ id: 'other' }]);
      }));

    it('claims nothing that is owned, not due, finished, or of an unknown version', () =>
      use(async ({ flows }) => {
        const later = { status: 'sleeping', updatedAt: NOW, wakeAt: NOW + 99_999 } as const;
        const runs = ['owned', 'later', 'over', 'waiting', 'old'];
        for (const id of runs) {
          await flows.create(sampleRun(id, id === 'old' ? { version: '0.9.0' } : {}));
        }
        const claim = (id: string) => ({ id, epoch: 1 });
        await flows.release(claim('later'), later);
        await flows.release(claim('over'), { status: 'completed', updatedAt: NOW, output: 1 });
        await flows.release(claim('waiting'), { status: 'waiting', updatedAt: NOW });
        await flows.release(claim('old'), { status: 'sleeping', updatedAt: NOW, wakeAt: NOW });
        expect(await flows.claim(CLAIM)).toEqual([]);
      }));

    it('lists due runs of other versions that nobody owns, and takes none', () =>
      use(async ({ flows }) => {
        const other = { version: '0.9.0' };
        for (const id of ['owned', 'later', 'over', 'killed']) {
          await flows.create(sampleRun(id, { ...other, wakeAt: NOW }));
        }
        await flows.create(sampleRun('known', { wakeAt: NOW }), { isReleased: true });
        await flows.create(sampleRun('asleep', { ...other, status: 'sleeping', wakeAt: NOW }), {
          isReleased: true,
        });
        const ended = { status: 'completed', updatedAt: NOW, wakeAt: undefined } as const;
        await flows.release({ id: 'over', epoch: 1 }, ended);
        const later = { status: 'sleeping', updatedAt: NOW, wakeAt: NOW + 99_999 } as const;
        await flows.release({ id: 'later', epoch: 1 }, later);
        const freed = { status: 'running', updatedAt: NOW, wakeAt: NOW } as const;
        await flows.release({ id: 'killed', epoch: 1 }, freed);
        const ids = async (limit: number) =>
          (await flows.unclaimed({ ...CLAIM, limit })).map(({ id }) => id).toSorted();
        expect(await ids(10)).toEqual(['asleep', 'killed']);
        expect(await ids(10)).toEqual(['asleep', 'killed']);
        expect(await ids(1)).toHaveLength(1);
      }));

    it('finds a due run behind many that are due but of a version nobody can run', () =>
      use(async ({ flows }) => {
        const due = { status: 'sleeping', updatedAt: NOW, wakeAt: NOW } as const;
        const ids = [...times(600, (index) => `old-${index}`), 'new'];
        await Promise.all(
          ids.map((id) => flows.create(sampleRun(id, id === 'new' ? {} : { version: '0.9.0' }))),
        );
        await Promise.all(
          ids.map((id) =>
            flows.release({ id, epoch: 1 }, { ...due, wakeAt: id === 'new' ? NOW + 1 : NOW }),
          ),
        );
        expect(await flows.claim(CLAIM)).toMatchObject([{ id: 'new' }]);
      }));

    it('gives a due run to one claimant only, with a new epoch', () =>
      use(async ({ flows }) => {
        await flows.create(sampleRun('run-1'));
        const asleep = { status: 'sleeping', updatedAt: NOW, wakeAt: NOW + 5 } as const;
        await flows.release({ id: 'run-1', epoch: 1 }, asleep);
        const claims = (await Promise.all(times(4, () => flows.claim(CLAIM)))).flat();
        expect(claims).toMatchObject([{ id: 'run-1', status: 'running', epoch: 2 }]);
      }));

    it('threat: a process that was thought dead writes nothing into a run that another took over', () =>
      use(async ({ flows }) => {
        await flows.create(sampleRun('run-1'));
        const first = { id: 'run-1', epoch: 1 };
        await flows.release(first, { status: 'sleeping', updatedAt: NOW, wakeAt: NOW });
        const [second] = await flows.claim(CLAIM);
        await expect(flows.record(first, [sampleStep('x')])).rejects.toMatchObject({
          code: 'CONFLICT',
        });
        const over = { status: 'completed', updatedAt: NOW } as const;
        await expect(flows.release(first, over)).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(await flows.steps('run-1')).toEqual([]);
        if (second) await flows.record(second, [sampleStep('y')]);
        expect(await flows.steps('run-1')).toHaveLength(1);
      }));

    it('a change from outside takes the run from its owner, and leaves finished runs alone', () =>
      use(async ({ flows }) => {
        const run = sampleRun('run-1');
        await flows.create(run);
        const cancelled = { status: 'cancelled', updatedAt: NOW + 1 } as const;
        expect(await flows.change('run-1', cancelled)).toBe(true);
        await expect(flows.record(run, [sampleStep('x')])).rejects.toMatchObject({
          code: 'CONFLICT',
        });
        expect(await flows.change('run-1', { status: 'running', updatedAt: NOW })).toBe(false);
        expect(await flows.change('none', cancelled)).toBe(false);
        expect(await flows.get('run-1')).toMatchObject({ status: 'cancelled' });
      }));

    it('names the runs that a process holds no more, and none that is not stored yet', () =>
      use(async ({ flows }) => {
        const runs = ['held', 'cancelled', 'again', 'released', 'unstored'].map((id) =>
          sampleRun(id),
        );
        for (const run of runs.slice(0, 4)) await flows.create(run);
        expect(await flows.lost(runs)).toEqual([]);
        await flows.change('cancelled', { status: 'cancelled', updatedAt: NOW });
        const due = { status: 'waiting', updatedAt: NOW, wakeAt: NOW } as const;
        await flows.change('again', due);
        expect(await flows.claim(CLAIM)).toMatchObject([{ id: 'again' }]);
        await flows.release({ id: 'released', epoch: 1 }, { status: 'blocked', updatedAt: NOW });
        expect((await flows.lost(runs)).toSorted()).toEqual(['again', 'cancelled', 'released']);
        expect(await flows.lost([])).toEqual([]);
      }));

    it('a change of idle runs alone leaves a run that its process works on', () =>
      use(async ({ flows }) => {
        const run = sampleRun('run-1');
        await flows.create(run);
        const due = { status: 'waiting', updatedAt: NOW, wakeAt: NOW } as const;
        expect(await flows.change('run-1', due, { onlyIdle: true })).toBe(false);
        await flows.record(run, [sampleStep('x')]);
        await flows.release(run, { status: 'blocked', updatedAt: NOW });
        expect(await flows.claim(CLAIM)).toEqual([]);
        expect(await flows.change('run-1', due, { onlyIdle: true })).toBe(true);
        expect(await flows.change('none', due, { onlyIdle: true })).toBe(false);
        expect(await flows.claim(CLAIM)).toMatchObject([{ id: 'run-1' }]);
        expect(await flows.change('run-1', due, { onlyIdle: true })).toBe(false);
      }));

    it('a release writes the last steps with it, returns the run, and keeps seals', () =>
      use(async ({ flows }) => {
        const run = sampleRun('run-1');
        await flows.create(run);
        const over = { status: 'completed', updatedAt: NOW + 1, output: [1] } as const;
        const steps = [sampleStep('x', { seal: 's1' })];
        const released = await flows.release(run, { ...over, endSeal: 's2' }, { steps });
        expect(released).toEqual({ ...run, ...over, endSeal: 's2' });
        expect(await flows.get('run-1')).toEqual(released);
        expect(await flows.steps('run-1')).toEqual(steps);
        const late = flows.release(run, over, { steps: [sampleStep('y')] });
        await expect(late).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(await flows.steps('run-1')).toEqual(steps);
      }));

    it('an event wakes a waiting run, also one that was sent before the run began to wait', () =>
      use(async ({ flows }) => {
        const waiting = { status: 'waiting', updatedAt: NOW, waitsFor: ['event:go'] } as const;
        for (const id of ['after', 'before']) await flows.create(sampleRun(id));
        await flows.release({ id: 'after', epoch: 1 }, waiting, { seenEvent: 0 });
        const event = { name: 'go', payload: { n: 1 }, at: NOW + 1, seal: 's' };
        expect(await flows.send('before', event)).toBe(true);
        await flows.release({ id: 'before', epoch: 1 }, waiting, { seenEvent: 0 });
        expect(await flows.send('after', event)).toBe(true);
        const due = await flows.claim(CLAIM);
        expect(due.map(({ id }) => id).toSorted()).toEqual(['after', 'before']);
        expect(await flows.events('after')).toMatchObject([event]);
        const [{ id = 0 } = {}] = await flows.events('after');
        expect(await flows.events('after', id)).toEqual([]);
        expect(await flows.send('none', event)).toBe(false);
      }));

    it('an event wakes a run only that waits for one of its name', () =>
      use(async ({ flows }) => {
        const waiting = {
          status: 'waiting',
          updatedAt: NOW,
          waitsFor: ['event:go', 'time'],
        } as const;
        await flows.create(sampleRun('run-1'));
        await flows.release({ id: 'run-1', epoch: 1 }, waiting, { seenEvent: 0 });
        expect(await flows.send('run-1', { name: 'other', payload: 1, at: NOW })).toBe(true);
        expect(await flows.claim(CLAIM)).toEqual([]);
        expect(await flows.send('run-1', { name: 'go', payload: 2, at: NOW })).toBe(true);
        expect(await flows.claim(CLAIM)).toMatchObject([{ id: 'run-1' }]);
        expect(await flows.events('run-1')).toMatchObject([{ name: 'other' }, { name: 'go' }]);
      }));

    it('forgets an event with the writing of the step that took it, and gives its id to no other', () =>
      use(async ({ flows }) => {
        const run = sampleRun('run-1');
        await flows.create(run);
        const ids = async (after?: number, limit?: number) =>
          (await flows.events('run-1', after, limit)).map(({ id }) => id);
        const send = () => flows.send('run-1', { name: 'go', payload: 1, at: NOW });
        for (let sent = 0; sent < 4; sent += 1) await send();
        const [first = 0, second = 0, third = 0, fourth = 0] = await ids();
        expect(await ids(0, 2)).toEqual([first, second]);
        expect(await ids(second, 1)).toEqual([third]);
        const took = (eventId: number) =>
          sampleStep(`event-${eventId}`, { kind: 'event', name: 'go', eventId });
        await flows.record(run, [took(second)]);
        expect(await ids()).toEqual([first, third, fourth]);
        const asleep = { status: 'waiting', updatedAt: NOW } as const;
        await flows.release(run, asleep, { steps: [took(first), took(fourth)] });
        expect(await ids()).toEqual([third]);
        await send();
        expect((await ids()).at(-1)).toBeGreaterThan(fourth);
      }));

    it('threat: keeps no more events of a run than it may that no step has taken', () =>
      use(async ({ flows }) => {
        for (const id of ['full', 'free']) await flows.create(sampleRun(id));
        const send = (id: string) => flows.send(id, { name: 'x', payload: null, at: NOW });
        await Promise.all(times(MAX_EVENTS, () => send('full')));
        await expect(send('full')).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(await flows.events('full')).toHaveLength(MAX_EVENTS);
        expect(await send('free')).toBe(true);
        const [{ id: eventId = 0 } = {}] = await flows.events('full');
        const took = sampleStep('a', { kind: 'event', name: 'x', eventId });
        await flows.record({ id: 'full', epoch: 1 }, [took]);
        expect(await send('full')).toBe(true);
      }));

    it('lists the names of events, whatever signs they have and however long they are', () =>
      use(async ({ flows }) => {
        await flows.create(sampleRun('run-1'));
        const names = ['go', 'a "b" \\ c', 'nul \0 \n', '\ud800', 'ä'.repeat(3000), ''];
        for (const name of names)
          await flows.send('run-1', { name, payload: { name: 'x' }, at: NOW });
        // Another process may order the fields in another way.
        const other = { payload: { name: 'x' }, at: NOW, name: 'last' };
        await flows.send('run-1', other);
        const sent = await flows.events('run-1');
        expect(sent.map(({ name }) => name)).toEqual([...names, 'last']);
        const listed = await flows.eventNames('run-1');
        expect(listed).toEqual(sent.map(({ id, name }) => ({ id, name })));
        const [, second, third] = listed;
        expect(await flows.eventNames('run-1', second?.id, 1)).toEqual([third]);
        expect(await flows.eventNames('nothing')).toEqual([]);
      }));

    it('threat: keeps no more bytes of events than it may that no step has taken', () =>
      use(async ({ flows }) => {
        for (const id of ['full', 'free']) await flows.create(sampleRun(id));
        // Two bytes a sign, as JSON is kept in UTF-8.
        const payload = 'ä'.repeat(MAX_EVENT_BYTES_WAITING / 8);
        const send = (id: string, given: unknown = payload) =>
          flows.send(id, { name: 'x', payload: given, at: NOW });
        for (let count = 0; count < 3; count += 1) expect(await send('full')).toBe(true);
        await expect(send('full')).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(await send('full', 'small')).toBe(true);
        expect(await send('free')).toBe(true);
        expect(await flows.events('full')).toHaveLength(4);
        const [{ id: eventId = 0 } = {}] = await flows.events('full');
        const took = sampleStep('a', { kind: 'event', name: 'x', eventId });
        await flows.record({ id: 'full', epoch: 1 }, [took]);
        expect(await send('full')).toBe(true);
      }));

    it('a change removes the fields that it gives as undefined', () =>
      use(async ({ flows }) => {
        await flows.create(sampleRun('run-1'));
        const claim = { id: 'run-1', epoch: 1 };
        await flows.release(claim, { status: 'waiting', updatedAt: NOW, waitsFor: ['event:go'] });
        await flows.change('run-1', { status: 'blocked', updatedAt: NOW, waitsFor: undefined });
        expect(await flows.get('run-1')).not.toHaveProperty('waitsFor');
      }));
  });
};
