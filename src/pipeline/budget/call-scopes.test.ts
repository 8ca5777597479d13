import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { CallAs } from '../../contract/call-options.ts';

const paid = aTool({ name: 'paid', cost: { model: 'usage_based', fixed: 1 }, run: () => 'done' });
const outer = aTool({
  name: 'outer',
  callsTools: true,
  run: async (_input, { call }) => (await call('paid', {})).error?.code,
});

const codes = async (as: CallAs, count: number) => {
  const crib = await testCrib([paid, outer]);
  const results: (string | undefined)[] = [];
  for (let at = 0; at < count; at += 1) {
    results.push((await crib.execute('paid', {}, as)).error?.code);
  }
  return results;
};

describe('the dollars of a flow', () => {
  it('cover all of its calls together', async () => {
    expect(await codes({ flowId: 'f', flowUsd: 1.5 }, 2)).toEqual([undefined, 'BUDGET_EXCEEDED']);
  });

  it('limit nothing for a call that belongs to no flow', async () => {
    expect(await codes({ flowUsd: 0.5 }, 1)).toEqual([undefined]);
  });

  it('lower the daily limit of the user as well, when both are given, and raise neither', async () => {
    expect(await codes({ flowId: 'f', flowUsd: 100, dailyUsd: 1.5 }, 2)).toEqual([
      undefined,
      'BUDGET_EXCEEDED',
    ]);
  });

  it('of a flow around it cover its calls as well, those of its tools included', async () => {
    const around = { flowId: 'f.1', outerFlows: [{ flowId: 'g' }, { flowId: 'f', usd: 1.5 }] };
    expect(await codes(around, 2)).toEqual([undefined, 'BUDGET_EXCEEDED']);
    const crib = await testCrib([paid, outer]);
    await crib.execute('paid', {}, around);
    const sibling = { flowId: 'f.2', outerFlows: [{ flowId: 'f', usd: 1.5 }] };
    expect((await crib.execute('outer', {}, sibling)).data).toBe('BUDGET_EXCEEDED');
    expect((await crib.execute('paid', {}, { flowId: 'f', flowUsd: 1.5 })).error?.code).toBe(
      'BUDGET_EXCEEDED',
    );
  });

  it('hold for a flow around it also by the limit that is configured for each flow', async () => {
    const crib = await testCrib([paid], { config: { budget: { perFlow: { usd: 1.5 } } } });
    const as = (flowId: string) => ({ flowId, outerFlows: [{ flowId: 'f' }] });
    expect((await crib.execute('paid', {}, as('f.1'))).success).toBe(true);
    expect((await crib.execute('paid', {}, as('f.2'))).error?.code).toBe('BUDGET_EXCEEDED');
  });

  it.each([['no list'], [[1]], [[{ flowId: 1 }]], [[{ flowId: 'f', usd: -1 }]]])(
    'are refused where the flows around it are %j',
    async (outerFlows) => {
      expect(await codes({ flowId: 'f', outerFlows: outerFlows as never }, 1)).toEqual([
        'VALIDATION_ERROR',
      ]);
    },
  );

  it('hold for the calls that a tool of the flow makes', async () => {
    const crib = await testCrib([paid, outer]);
    const { data } = await crib.execute('outer', {}, { flowId: 'f', flowUsd: 0.5 });
    expect(data).toBe('BUDGET_EXCEEDED');
  });
});
