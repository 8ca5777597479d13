import { describe, expect, it } from 'vitest';
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { MAX_STEP_MS, RecordedSteps, type RecordedStepsDeps } from './recorded-steps.ts';

const START = 1_800_000_000_000;

const world = (
  options: { audit?: Partial<AuditLog>; isDone?: RecordedStepsDeps['isDone'] } = {},
) => {
  const clock = { now: START };
  const store = createMemoryStore();
  const logged: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (text: string) => void logged.push(text) };
  let count = 0;
  const open = () =>
    new RecordedSteps({
      audit: async () => ({
        append: options.audit?.append ?? ((entry) => store.audit.append(entry)),
        query: (filter) => store.audit.query(filter),
      }),
      runtime: { now: () => clock.now, log },
      newId: () => {
        count += 1;
        return `step-${count}`;
      },
      names: ['team_publish'],
      isDone: options.isDone ?? (async () => true),
    });
  const rows = async (): Promise<readonly AuditRow[]> => (await store.audit.query()).toReversed();
  return { clock, store, logged, open, rows };
};

const STEP = { tool: 'team_publish', by: LOCAL_CALLER, detail: { org: 'acme' } } as const;

const statuses = (rows: readonly AuditRow[]) =>
  rows.map(({ status, code, detail }) => [status, code, detail.effect]);

describe('steps that are on the audit trail before they change something', () => {
  it('has the beginning on record while the work runs, and the end afterwards', async () => {
    const { open, rows } = world();
    let during: readonly AuditRow[] = [];
    const value = await open().run(STEP, async () => {
      during = await rows();
      return { value: 7, detail: { serial: 3 } };
    });
    expect([value, statuses(during)]).toEqual([7, [['started', '', undefined]]]);
    expect((await rows()).map(({ status, detail }) => [status, detail])).toEqual([
      ['started', { org: 'acme', step: 'step-1' }],
      ['success', { org: 'acme', step: 'step-1', serial: 3 }],
    ]);
  });

  it('threat: runs no work when the trail cannot be written', async () => {
    const append = async () => {
      throw new ToolFailure('STORE_UNAVAILABLE', 'The disk is full.');
    };
    let hasRun = false;
    const step = world({ audit: { append } })
      .open()
      .run(STEP, async () => {
        hasRun = true;
        return { value: 1 };
      });
    await expect(step).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(hasRun).toBe(false);
  });

  it('records the code of a step that was refused, and INTERNAL for any other error', async () => {
    const { open, rows } = world();
    const steps = open();
    for (const error of [new ToolFailure('CONFLICT', 'no'), new Error('x')]) {
      const failing = steps.run(STEP, () => Promise.reject(error));
      await expect(failing).rejects.toBe(error);
    }
    expect(statuses(await rows())).toEqual([
      ['started', '', undefined],
      ['failure', 'CONFLICT', undefined],
      ['started', '', undefined],
      ['failure', 'INTERNAL', undefined],
    ]);
  });

  it('report the error of the step, not that of its record, and log the latter', async () => {
    const inner = createMemoryStore();
    const append: AuditLog['append'] = async (entry) => {
      if (entry.status !== 'started') throw new Error('The disk is full.');
      await inner.audit.append(entry);
    };
    const { open, logged } = world({ audit: { append } });
    const failing = open().run(STEP, () => Promise.reject(new ToolFailure('CONFLICT', 'no')));
    await expect(failing).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(logged).toHaveLength(1);
  });

  it('lets no step change anything after others may have closed it', async () => {
    const { open, clock } = world();
    const late = open().run(STEP, async ({ assertInTime }) => {
      assertInTime();
      clock.now += MAX_STEP_MS;
      assertInTime();
      return { value: 1 };
    });
    await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
  });
});

describe('steps that a crash interrupted', () => {
  const crash = async ({ store }: ReturnType<typeof world>): Promise<void> => {
    const lost = new RecordedSteps({
      audit: async () => ({
        append: async (entry): Promise<void> =>
          entry.status === 'started'
            ? store.audit.append(entry)
            : Promise.reject(new Error('gone')),
        query: (filter): Promise<readonly AuditRow[]> => store.audit.query(filter),
      }),
      runtime: { now: () => START, log: { debug() {}, info() {}, warn() {}, error() {} } },
      newId: () => 'lost',
      names: ['team_publish'],
      isDone: async () => false,
    });
    await lost.run(STEP, async () => ({ value: 1 })).catch(() => undefined);
  };

  it.each([
    ['done', async (): Promise<boolean> => true],
    ['not_done', async (): Promise<boolean> => false],
    ['unknown', (): Promise<boolean> => Promise.reject(new Error('sealed with another key'))],
  ] as const)('are closed once, by the next process, as %s', async (effect, isDone) => {
    const made = world({ isDone });
    await crash(made);
    made.clock.now += MAX_STEP_MS + 1;
    const steps = made.open();
    await steps.closeInterrupted();
    await steps.closeInterrupted();
    await made.open().closeInterrupted();
    expect(statuses(await made.rows())).toEqual([
      ['started', '', undefined],
      ['unknown', '', effect],
    ]);
  });

  it('are left alone while they may still run, and closed later by the same process', async () => {
    const made = world();
    await crash(made);
    const steps = made.open();
    await steps.closeInterrupted();
    expect(await made.rows()).toHaveLength(1);
    made.clock.now += MAX_STEP_MS + 1;
    await steps.closeInterrupted();
    expect(statuses(await made.rows()).at(-1)).toEqual(['unknown', '', 'done']);
  });

  it('are left alone when another process handles their kind', async () => {
    const made = world();
    await made.store.audit.append({
      kind: 'event',
      executionId: '',
      at: START,
      tool: 'team_join',
      version: '',
      tier: '',
      userId: 'a',
      agentId: 'a',
      sessionId: 'a',
      status: 'started',
      code: '',
      durationMs: 0,
      costMicros: 0,
      detail: { step: 'x' },
    });
    made.clock.now += MAX_STEP_MS + 1;
    await made.open().closeInterrupted();
    expect(await made.rows()).toHaveLength(1);
  });
});
