import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../contract/define-tool.ts';
import { createCrib } from '../../crib/create-crib.ts';
import { flowJsonSchema } from './flow-schema.ts';

describe('the JSON Schema of flows', () => {
  it('is what docs/flow.schema.json holds; else run scripts/write-flow-schema.mjs', async () => {
    const file = new URL('../../../docs/flow.schema.json', import.meta.url);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(flowJsonSchema());
  });

  it('takes good flows and refuses bad ones, as an editor would', () => {
    const validate = new Ajv2020({ strict: false }).compile(flowJsonSchema());
    const flow = (steps: unknown) => ({ name: 'a', version: '1.0.0', steps });
    expect(validate(flow([{ id: 'a', call: 'x', input: { n: { from: 'input.n' } } }]))).toBe(true);
    expect(validate(flow([{ id: 'g', steps: [{ id: 'a', sleepMs: 1 }] }]))).toBe(true);
    expect(validate(flow([{ id: 'a' }]))).toBe(false);
    expect(validate(flow([{ id: 'a', call: 'x', sleepMs: 1 }]))).toBe(false);
    expect(validate(flow([{ id: 'g', steps: [{ id: 'a', colour: 1 }] }]))).toBe(false);
  });
});

describe('the YAML of docs/flows.md', () => {
  it('is a flow that runs as the page says', async () => {
    const page = await readFile(new URL('../../../docs/flows.md', import.meta.url), 'utf8');
    const [, text = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(page) ?? [];
    const tool = (name: string, run: (input: never) => unknown) =>
      defineTool({ name, description: name, tier: 'read_only', input: { type: 'object' }, run });
    const tools = [
      tool('fetch_price', ({ item }: { item: string }) => ({ usd: item.length })),
      tool('add_up', ({ amounts }: { amounts: number[] }) => ({
        sum: amounts.reduce((one, other) => one + other, 0),
      })),
    ];
    const crib = await createCrib({ store: 'memory', builtins: false, tools });
    await crib.flows.registerData(text);
    const { finished } = await crib.flows.start('order_parts', { items: ['bolt', 'nut'] });
    expect(await finished).toMatchObject({ status: 'completed', output: 7 });
    await crib.close();
  });
});
