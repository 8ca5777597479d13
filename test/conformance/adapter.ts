/**
 * What every adapter promises, whatever the framework: the model sees the tools that may be seen, its
 * calls go through the pipeline, and it can read what became of them. Each driver runs the real library.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Crib } from '../../src/contract/crib.ts';
import type { ToolSetOptions } from '../../src/contract/tool-sets.ts';
import { type AdapterCrib, adapterCrib, SHOWN } from '../fixtures/adapter-crib.ts';

/** A call as a model makes it: the arguments are the text it wrote. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What the model gets to read; `isError` where the framework can say so. */
export interface ModelReading {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean | undefined;
}

export interface AdapterDriver {
  /** The framework itself refuses a turn with two calls of one id, before any of them runs. */
  readonly refusesRepeatedIds?: boolean;
  /** The names the model is shown. */
  readonly names: readonly string[];
  /** The model makes these calls in one turn, and reads the answers in the next. */
  turn(calls: readonly ModelCall[], signal?: AbortSignal): Promise<readonly ModelReading[]>;
}

export type OpenAdapter = (crib: Crib, options?: ToolSetOptions) => Promise<AdapterDriver>;

const call = (id: string, name: string, input: unknown): ModelCall => ({
  id,
  name,
  arguments: JSON.stringify(input),
});

export const adapterConformance = (framework: string, open: OpenAdapter): void => {
  const one = async (driver: AdapterDriver, wanted: ModelCall): Promise<ModelReading> => {
    const [reading] = await driver.turn([wanted]);
    if (!reading) throw new Error('The model read nothing.');
    return reading;
  };

  const expectRefused = ({ text, isError }: ModelReading, code: string): void => {
    expect(text).toContain(code);
    if (isError !== undefined) expect(isError).toBe(true);
  };

  describe(`the adapter for ${framework}`, () => {
    let place: AdapterCrib;
    beforeEach(async () => {
      place = await adapterCrib();
    });
    afterEach(() => place.close());

    it('shows what may be called, under names a model can say', async () => {
      const { names } = await open(place.crib);
      expect([...names].sort()).toEqual([...SHOWN].sort());
    });

    it('runs two calls of one turn through the pipeline, with who calls on record', async () => {
      const driver = await open(place.crib, { caller: { userId: 'ada', sessionId: 's-1' } });
      const readings = await driver.turn([
        call('c1', 'math_add', { a: 2, b: 3 }),
        call('c2', 'append', { line: 'x' }),
      ]);
      expect(readings.map(({ id, text }) => [id, text])).toEqual([
        ['c1', '{"sum":5}'],
        ['c2', 'appended'],
      ]);
      expect(readings.some(({ isError }) => isError)).toBe(false);
      const rows = await place.crib.audit.query({ userId: 'ada' });
      const outcomes = rows.filter(({ kind }) => kind === 'outcome').map(({ tool }) => tool);
      expect(outcomes.sort()).toEqual(['append', 'math.add']);
    });

    it('shows only what the filter and the names let through, and calls nothing else', async () => {
      const read = await open(place.crib, { filter: { tier: ['write'] } });
      expect(read.names).toEqual(['append']);
      const named = await open(place.crib, { names: ['math.add', 'switched_off'] });
      expect(named.names).toEqual(['math_add']);
      await expect(open(place.crib, { names: ['no_such_tool'] })).rejects.toMatchObject({
        code: 'TOOL_NOT_FOUND',
      });
    });

    it('finds, describes and calls the tools behind the search surface', async () => {
      const driver = await open(place.crib, { surface: 'search' });
      expect(driver.names).toEqual(['search_tools', 'describe_tool', 'call_tool']);
      const found = await one(driver, call('c1', 'search_tools', { query: 'add two numbers' }));
      expect(found.text).toContain('"math_add"');
      const described = await one(driver, call('c2', 'describe_tool', { name: 'math_add' }));
      expect(described.text).toContain('"label"');
      const inner = { name: 'math_add', input: { a: 1, b: 1 } };
      expect((await one(driver, call('c3', 'call_tool', inner))).text).toBe('{"sum":2}');
      const held = await one(driver, call('c4', 'call_tool', { name: 'held', input: {} }));
      expectRefused(held, 'TOOL_NOT_FOUND');
      expectRefused(await one(driver, call('c5', 'search_tools', {})), 'query');
      expect(place.ran.map(({ tool }) => tool)).toEqual(['math.add']);
    });

    it('shortens a long result and says where the rest is', async () => {
      const driver = await open(place.crib);
      const { text } = await one(driver, call('c1', 'novel', {}));
      expect(text.length).toBeLessThan(60_000);
      expect(text).toMatch(/Note: .*handle/);
    });

    it('tells the model what is wrong with its input, on record', async () => {
      const driver = await open(place.crib);
      const reading = await one(driver, call('c1', 'append', { line: 7 }));
      expectRefused(reading, 'VALIDATION_ERROR');
      expect(reading.text).toContain('line');
      const rows = await place.crib.audit.query({ tool: 'append' });
      expect(rows).toMatchObject([{ code: 'VALIDATION_ERROR' }]);
      expect(place.ran).toEqual([]);
    });

    it('threat: a denied tool does not run, and the model reads that it may not', async () => {
      const driver = await open(place.crib);
      expectRefused(await one(driver, call('c1', 'denied', {})), 'PERMISSION_DENIED');
      expect(place.ran).toEqual([]);
    });

    it('threat: a tool switched off after it was shown does not run', async () => {
      const driver = await open(place.crib);
      place.crib.tools.setEnabled('append', false);
      expectRefused(await one(driver, call('c1', 'append', { line: 'x' })), 'TOOL_DISABLED');
      expect(place.ran).toEqual([]);
    });

    it('threat: what needs a person waits, and runs once when it was approved', async () => {
      const driver = await open(place.crib);
      const input = { to: 'Ada', usd: 5 };
      expectRefused(await one(driver, call('c1', 'pay', input)), 'APPROVAL_REQUIRED');
      expectRefused(await one(driver, call('c2', 'pay', input)), 'APPROVAL_REQUIRED');
      expect(place.ran).toEqual([]);
      const [waiting, ...others] = await place.crib.approvals.list();
      expect(others).toEqual([]);
      await place.crib.approvals.decide(waiting?.id ?? '', { approve: true, by: 'grace' });
      const dearer = await one(driver, call('c3', 'pay', { ...input, usd: 5000 }));
      expectRefused(dearer, 'APPROVAL_REQUIRED');
      const paid = await one(driver, call('c4', 'pay', { usd: 5, to: 'Ada' }));
      expect(paid.text).toBe('{"paid":true}');
      expectRefused(await one(driver, call('c5', 'pay', input)), 'APPROVAL_REQUIRED');
      expect(place.ran).toEqual([{ tool: 'pay', input }]);
    });

    it('threat: a person said no, and the model asks again', async () => {
      const driver = await open(place.crib);
      const input = { to: 'Eve', usd: 9 };
      await one(driver, call('c1', 'pay', input));
      const [waiting] = await place.crib.approvals.list();
      await place.crib.approvals.decide(waiting?.id ?? '', { approve: false, by: 'grace' });
      expectRefused(await one(driver, call('c2', 'pay', input)), 'USER_CANCELLED');
      expect(place.ran).toEqual([]);
    });

    it('threat: a step that is run again does not act twice', async () => {
      const driver = await open(place.crib);
      const wanted = call('call_1', 'append', { line: 'once' });
      expect((await one(driver, wanted)).text).toBe('appended');
      expect((await one(driver, wanted)).text).toBe('appended');
      expect(place.ran).toHaveLength(1);
      // Another conversation may use the same ids.
      const other = await open(place.crib);
      expect((await one(other, wanted)).text).toBe('appended');
      expect(place.ran).toHaveLength(2);
    });

    it('threat: two calls of one id act at most once', async () => {
      const driver = await open(place.crib);
      const turn = driver.turn([
        call('same', 'append', { line: 'first' }),
        call('same', 'append', { line: 'second' }),
      ]);
      if (driver.refusesRepeatedIds === true) {
        await expect(turn).rejects.toThrow();
        expect(place.ran).toEqual([]);
        return;
      }
      await turn;
      expect(place.ran).toEqual([{ tool: 'append', input: { line: 'first' } }]);
    });

    it('threat: prototype keys in the arguments are refused', async () => {
      const driver = await open(place.crib);
      const [reading] = await driver.turn([
        { id: 'c1', name: 'append', arguments: '{"line":"x","__proto__":{"polluted":1}}' },
      ]);
      if (reading?.isError !== undefined) expect(reading.isError).toBe(true);
      expect(reading?.text).toMatch(/VALIDATION_ERROR|Invalid input|parsing failed/);
      expect(place.ran).toEqual([]);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    });

    it('threat: a turn that is aborted half-way stops the tool that runs', async () => {
      const driver = await open(place.crib);
      const controller = new AbortController();
      const turn = driver.turn([call('c1', 'wait', {})], controller.signal).catch(() => undefined);
      const signal = await place.whenWaiting();
      controller.abort();
      await turn;
      expect(signal.aborted).toBe(true);
    });
  });
};
