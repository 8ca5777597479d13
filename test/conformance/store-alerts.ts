/** What every store owes to alerts: of several processes one decides, and no change is lost. */
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/contract/store.ts';
import { AlertLeases } from '../../src/observation/alerts/alert-leases.ts';
import { AlertRecords } from '../../src/observation/alerts/alert-records.ts';
import { stepAlert } from '../../src/observation/alerts/step-alert.ts';
import { times } from './store-samples.ts';

const SEALS = {
  seal: async () => 'ours',
  isOurs: async (_: string, seal?: string) => seal === 'ours',
};
const DEFINITION = { when: 'calls > 1' };

export const describeAlerts = (
  use: (test: (store: Store) => Promise<void>) => Promise<void>,
): void => {
  describe('alerts', () => {
    it('lets one of several processes fire, whichever is first', () =>
      use(async ({ memory }) => {
        const now = () => 1000;
        const fire = async (process: number): Promise<void> => {
          const records = new AlertRecords({ memory, seals: SEALS, now });
          const findings = [{ subject: '', holds: true, values: {} }];
          const newId = () => `by-${process}`;
          await records.change('busy', (record) =>
            record.subjects['']?.isFiring
              ? undefined
              : stepAlert(record, {
                  id: 'busy',
                  definition: DEFINITION,
                  findings,
                  now: 1000,
                  newId,
                }),
          );
        };
        await Promise.all(times(5, fire));
        const { events, version } = await new AlertRecords({ memory, seals: SEALS, now }).read(
          'busy',
        );
        expect([events.length, version]).toEqual([1, 1]);
      }));

    it('loses no change of those that are made at once', () =>
      use(async ({ memory }) => {
        const records = new AlertRecords({ memory, seals: SEALS, now: () => 1 });
        const note = (process: number) =>
          records.change('busy', ({ problem = '', ...record }) => ({
            ...record,
            problem: `${problem}${process}`,
          }));
        await Promise.all(times(4, note));
        expect((await records.read('busy')).problem).toHaveLength(4);
      }));

    it('gives the lease of an alert to one process until it ends or is given back', () =>
      use(async ({ memory }) => {
        let clock = 1000;
        const leases = (holder: string) =>
          new AlertLeases({ memory, holder, leaseMs: 100, now: () => clock });
        const [one, two] = [leases('one'), leases('two')];
        expect([...(await one.take(['a', 'b']))]).toEqual(['a', 'b']);
        expect([...(await two.take(['a', 'c']))]).toEqual(['c']);
        clock += 60;
        expect([...(await one.take(['a']))]).toEqual(['a']);
        clock += 60;
        expect([...(await two.take(['a', 'b']))]).toEqual(['b']);
        await one.release();
        expect([...(await two.take(['a']))]).toEqual(['a']);
        expect((await one.evaluatedAt()).get('a')).toBe(1120);
      }));
  });
};
