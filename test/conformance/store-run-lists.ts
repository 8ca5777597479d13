/** Lists of runs: for people, and for whoever wakes them. */
import { describe, expect, it } from 'vitest';
import { sampleRun, type Use } from './store-flows.ts';
import { NOW } from './store-samples.ts';

export const describeRunLists = (use: Use): void => {
  describe('lists of runs', () => {
    it('lists runs by status, flow and user, newest first, and forgets old finished ones', () =>
      use(async ({ flows }) => {
        for (const [at, id] of ['a', 'b', 'c'].entries()) {
          await flows.create(
            sampleRun(id, { createdAt: NOW + at, flow: id === 'c' ? 'x' : 'report' }),
          );
        }
        await flows.release({ id: 'a', epoch: 1 }, { status: 'failed', updatedAt: NOW });
        const ids = async (filter: Parameters<typeof flows.list>[0]) =>
          (await flows.list(filter)).map(({ id }) => id);
        expect(await ids({})).toEqual(['c', 'b', 'a']);
        expect(await ids({ flow: 'report' })).toEqual(['b', 'a']);
        expect(await ids({ status: 'failed' })).toEqual(['a']);
        expect(await ids({ userId: 'nobody' })).toEqual([]);
        expect(await ids({ limit: 1, before: NOW + 2 })).toEqual(['b']);
        expect(await flows.expire(NOW + 1)).toBe(1);
        expect(await ids({})).toEqual(['c', 'b']);
      }));

    it('lists the waiting runs that a person or another run keeps waiting, newest first', () =>
      use(async ({ flows }) => {
        for (const [at, wait] of ['approval:1', 'event:approval:1', 'run:2'].entries()) {
          const waits = {
            status: 'waiting',
            waitsFor: ['time', wait],
            createdAt: NOW + at,
          } as const;
          await flows.create(sampleRun(wait, { ...waits, input: ['run:3'] }));
        }
        await flows.create(sampleRun('blocked', { status: 'blocked', waitsFor: ['run:2'] }));
        const ids = async (limit: number) =>
          (await flows.waitingForAnswer(limit)).map(({ id }) => id);
        expect(await ids(9)).toEqual(['run:2', 'approval:1']);
        expect(await ids(1)).toEqual(['run:2']);
      }));
  });
};
