import { describe, expect, it } from 'vitest';
import type { AlertDefinition } from '../../contract/alerts.ts';
import { type AlertRecord, EMPTY_RECORD } from './alert-record.ts';
import type { Judged } from './compiled-alert.ts';
import { actionsOf, deliveriesOf, stepAlert } from './step-alert.ts';

const DEFINITION: AlertDefinition = { when: 'errorRate > 0.5', for: '60s', coolDown: '10m' };
const SECOND = 1000;

const finding = (holds: boolean | undefined, subject = 'git'): Judged => ({
  subject,
  holds,
  values: { errorRate: 0.7 },
});

/** Evaluates once for each pair of seconds and findings; returns the record after the last. */
const evaluated = (
  steps: readonly (readonly [number, readonly Judged[]])[],
  { record = EMPTY_RECORD, definition = DEFINITION } = {},
): AlertRecord => {
  let ids = 0;
  return steps.reduce(
    (before, [seconds, findings]) =>
      stepAlert(before, {
        id: 'busy',
        definition,
        findings,
        now: seconds * SECOND,
        newId: () => `n${ids++}`,
      }),
    record,
  );
};

const told = ({ events }: AlertRecord) => events.map(({ type, at }) => [type, at / SECOND]);

describe('stepAlert', () => {
  it('fires when the condition held for long enough, and once', () => {
    const holds = [finding(true)];
    expect(
      told(
        evaluated([
          [0, holds],
          [59, holds],
        ]),
      ),
    ).toEqual([]);
    expect(
      told(
        evaluated([
          [0, holds],
          [60, holds],
          [70, holds],
        ]),
      ),
    ).toEqual([['alert.fired', 60]]);
  });

  it('begins to wait anew when the condition did not hold in between', () => {
    const steps = [
      [0, [finding(true)]],
      [30, [finding(false)]],
      [40, [finding(true)]],
      [70, [finding(true)]],
    ] as const;
    expect(told(evaluated(steps))).toEqual([]);
  });

  it('changes nothing while the condition cannot be worked out', () => {
    const steps = [
      [0, [finding(true)]],
      [30, [finding(undefined)]],
      [60, [finding(true)]],
    ] as const;
    expect(told(evaluated(steps))).toEqual([['alert.fired', 60]]);
  });

  it('resolves when the condition holds no more, and when the subject is gone', () => {
    const firing = [
      [0, [finding(true)]],
      [60, [finding(true)]],
    ] as const;
    const resolved = ['alert.resolved', 80];
    expect(told(evaluated([...firing, [80, [finding(false)]]])).at(-1)).toEqual(resolved);
    expect(told(evaluated([...firing, [80, []]])).at(-1)).toEqual(resolved);
  });

  it('fires again only when the cool-down is over', () => {
    const steps = [
      [0, [finding(true)]],
      [60, [finding(true)]],
      [80, [finding(false)]],
      [100, [finding(true)]],
    ] as const;
    const again = (seconds: number) => told(evaluated([...steps, [seconds, [finding(true)]]]));
    expect(again(659).filter(([type]) => type === 'alert.fired')).toHaveLength(1);
    expect(again(660).at(-1)).toEqual(['alert.fired', 660]);
  });

  it('puts a firing down once while it is silenced, and tells it when the silence is over', () => {
    const record: AlertRecord = {
      ...EMPTY_RECORD,
      silence: { until: 100 * SECOND, by: 'ada', at: 0 } as never,
    };
    const holds = [finding(true)];
    const silenced = evaluated(
      [
        [0, holds],
        [60, holds],
        [90, holds],
      ],
      { record },
    );
    expect(silenced.events.map((event) => [event.silenced, event.deliveries])).toEqual([
      [true, []],
    ]);
    const later = evaluated([[100, holds]], { record: silenced });
    expect(later.events.at(-1)).toMatchObject({ type: 'alert.fired', silenced: false });
    expect(later.events.at(-1)?.deliveries).toHaveLength(1);
  });

  it('says nothing of the end of a firing that a silence hid', () => {
    const record: AlertRecord = {
      ...EMPTY_RECORD,
      silence: { until: 1000 * SECOND, by: 'ada', at: 0 } as never,
    };
    const steps = [
      [0, [finding(true)]],
      [60, [finding(true)]],
      [90, [finding(false)]],
    ] as const;
    expect(told(evaluated(steps, { record })).map(([type]) => type)).toEqual(['alert.fired']);
  });

  it('forgets subjects at rest when their cool-down is over', () => {
    const steps = [
      [0, [finding(true)]],
      [60, [finding(true)]],
      [80, [finding(false)]],
    ] as const;
    expect(Object.keys(evaluated(steps).subjects)).toEqual(['git']);
    expect(Object.keys(evaluated([...steps, [660, [finding(false)]]]).subjects)).toEqual([]);
  });

  it('takes a subject named like a member of every object for a new one', () => {
    const definition = { ...DEFINITION, for: '0s' };
    const record = evaluated([[0, [finding(true, 'constructor')]]], { definition });
    expect(record.events).toMatchObject([{ type: 'alert.fired', subject: 'constructor' }]);
  });
});

describe('the actions of an alert', () => {
  it('default to a line of the log', () => {
    expect(actionsOf(DEFINITION)).toEqual([{ type: 'log' }]);
    expect(deliveriesOf(DEFINITION)).toEqual([{ action: 'log', state: 'waiting', attempts: 0 }]);
  });
});
