import { describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { Capability } from '../../contract/tool.ts';
import type { CostModel } from '../../contract/tool-cost.ts';
import { boundedMicros, estimateCost, toMicros } from './estimate-cost.ts';

const CAPABILITY: Capability = { action: 'a', description: '' };

const cost = (model: CostModel | undefined, input: unknown = {}, capability = CAPABILITY) =>
  estimateCost(aTool({ ...(model && { cost: model }) }), { input, capability }, 30_000);

type PerUnit = NonNullable<CostModel['perUnit']>;
const per = (perUnit: PerUnit, input: unknown) => cost({ model: 'usage_based', perUnit }, input);

describe('money', () => {
  it('is counted in whole micro-dollars, rounded up', () => {
    expect(toMicros(0.1 + 0.2)).toBe(300_000);
    expect(toMicros(0.0000001)).toBe(1);
    expect(toMicros(-1)).toBe(0);
    expect(toMicros(Number.NaN)).toBe(0);
    expect(toMicros(Number.POSITIVE_INFINITY)).toBe(0);
  });

  it('is held as the largest count when it is too large to count', () => {
    expect(boundedMicros(Number.POSITIVE_INFINITY)).toBe(Number.MAX_SAFE_INTEGER);
    expect(boundedMicros(1e300)).toBe(Number.MAX_SAFE_INTEGER);
    expect(boundedMicros(0.5)).toBe(500_000);
    expect(boundedMicros(Number.NaN)).toBe(0);
  });
});

describe('an estimate', () => {
  it('is nothing for a tool without a price', () => {
    const free = { costMicros: 0, tokens: 0, timeMs: undefined, confidence: 'exact' };
    expect(cost(undefined)).toEqual(free);
    expect(cost({ model: 'free', fixed: 5 })).toEqual(free);
    expect(estimateCost(aTool(), { input: {}, capability: undefined }, 1)).toEqual(free);
  });

  it('is what the capability says, where the tool gives no price', () => {
    expect(cost(undefined, {}, { ...CAPABILITY, estimatedCost: 0.5 })).toMatchObject({
      costMicros: 500_000,
      confidence: 'estimate',
    });
    expect(cost(undefined, {}, { ...CAPABILITY, estimatedTime: 7 })).toMatchObject({
      costMicros: 0,
      timeMs: 7,
      confidence: 'exact',
    });
    const subscription = { model: 'subscription' } as const;
    expect(cost(subscription, {}, { ...CAPABILITY, estimatedCost: 0.5 })).toMatchObject({
      costMicros: 500_000,
      confidence: 'exact',
    });
    expect(cost(subscription)).toMatchObject({ costMicros: 0, confidence: 'unknown' });
    expect(
      estimateCost(aTool({ cost: subscription }), { input: {}, capability: undefined }, 1),
    ).toMatchObject({ costMicros: 0, confidence: 'unknown' });
  });

  it('is exact for a fixed price, and adds what units cost', () => {
    expect(cost({ model: 'one_time', fixed: 0.01 })).toMatchObject({
      costMicros: 10_000,
      confidence: 'exact',
    });
    const records = { unit: 'record', price: 0.001, inputField: 'count' } as const;
    const both = { model: 'usage_based', fixed: 0.01, perUnit: records } as const;
    expect(cost(both, { count: 10 })).toMatchObject({ costMicros: 20_000, confidence: 'estimate' });
  });

  it.each([
    ['records by number', { unit: 'record', price: 1, inputField: 'n' }, { n: 2 }, 2],
    ['no records for less than none', { unit: 'record', price: 1, inputField: 'n' }, { n: -2 }, 0],
    [
      'one record for no number',
      { unit: 'record', price: 1, inputField: 'n' },
      { n: Number.NaN },
      1,
    ],
    ['records by list', { unit: 'record', price: 1, inputField: 'n' }, { n: [1, 2, 3] }, 3],
    ['one record where none is named', { unit: 'record', price: 1 }, {}, 1],
    [
      'one record for any other value',
      { unit: 'record', price: 1, inputField: 'n' },
      { n: 'x' },
      1,
    ],
    ['characters', { unit: 'character', price: 1, inputField: 't' }, { t: 'abc' }, 3],
    ['no characters in a number', { unit: 'character', price: 1, inputField: 't' }, { t: 7 }, 0],
    ['no field in no object', { unit: 'character', price: 1, inputField: 't' }, null, 0],
    ['own fields only', { unit: 'character', price: 1, inputField: 'toString' }, {}, 0],
    ['seconds up to the timeout', { unit: 'second', price: 0.01 }, {}, 0.3],
    ['tokens of four characters', { unit: 'token', price: 1, inputField: 't' }, { t: 'abcde' }, 2],
  ] as const)('counts %s', (_name, perUnit, input, usd) => {
    expect(per(perUnit, input)).toMatchObject({ costMicros: usd * 1e6, confidence: 'estimate' });
  });

  it('includes the tokens, for limits that count them', () => {
    const perUnit = { unit: 'token', price: 0, inputField: 't' } as const;
    expect(per(perUnit, { t: 'x'.repeat(9) })).toMatchObject({ costMicros: 0, tokens: 3 });
  });
});
