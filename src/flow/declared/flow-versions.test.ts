/** Which version of a flow a new run gets, and that it is the one that was planned. */
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../../contract/define-flow.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { FlowData } from '../../contract/flow-data.ts';
import { createCribHost } from '../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const echo = defineTool({
  name: 'echo',
  description: 'Returns a text.',
  tier: 'read_only',
  input: z.object({ text: z.string() }),
  run: ({ text }) => text,
});

const open = async (flowFiles?: ReadonlyMap<string, Uint8Array>) => {
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools: [echo],
    ...(flowFiles && { flowFiles }),
  });
  cleanup.push(() => crib.close());
  return crib;
};

const report = (version: string): FlowData => ({
  name: 'report',
  version,
  steps: [{ id: 'say', call: 'echo', input: { text: version } }],
});
const codeReport = (version: string) =>
  defineFlow({ name: 'report', version, run: (flow) => flow.call(echo, { text: version }) });

describe('the version that a new run gets', () => {
  it('stays the one registered last when a run starts an older one as a sub-flow', async () => {
    const crib = await open();
    await crib.flows.registerData(report('1.0.0'));
    await crib.flows.registerData(report('2.0.0'));
    await crib.flows.registerData({
      name: 'outer',
      version: '1.0.0',
      steps: [{ id: 'sub', flow: 'report@1.0.0' }],
    });
    expect((await (await crib.flows.start('outer', {})).finished).output).toBe('1.0.0');
    expect((await (await crib.flows.start('report', {})).finished).output).toBe('2.0.0');
    const [, listed] = await crib.flows.registered();
    expect(listed).toMatchObject({ name: 'report', version: '2.0.0' });
  });

  it('stays the one registered last when code starts an older one that nobody registered', async () => {
    const crib = await open();
    crib.flows.register(codeReport('2.0.0'));
    const old = codeReport('1.0.0');
    crib.flows.register(
      defineFlow({ name: 'outer', version: '1.0.0', run: (flow) => flow.child(old, {}) }),
    );
    expect((await (await crib.flows.start('outer', {})).finished).output).toBe('1.0.0');
    expect((await (await crib.flows.start('report', {})).finished).output).toBe('2.0.0');
  });

  it('is the highest one of several files, whatever they are called and start', async () => {
    const text = (name: string, version: string, step: string): Uint8Array =>
      new TextEncoder().encode(`name: ${name}\nversion: ${version}\nsteps:\n  - ${step}\n`);
    const say = (version: string): string =>
      `{ id: say, call: echo, input: { text: "${version}" } }`;
    const crib = await open(
      new Map([
        ['report-10.yml', text('report', '10.0.0', say('10.0.0'))],
        ['report-9.yml', text('report', '9.0.0', say('9.0.0'))],
        ['report-8.yml', text('report', '8.0.0', '{ id: sub, flow: zero@1.0.0 }')],
        ['zero.yml', text('zero', '1.0.0', say('zero'))],
      ]),
    );
    expect(await crib.flows.fileFaults()).toEqual([]);
    expect((await (await crib.flows.start('report', {})).finished).version).toBe('10.0.0');
    expect((await crib.flows.plan('report', {})).version).toBe('10.0.0');
  });
});

describe('a start with the digest of a plan', () => {
  it('runs the version that was planned where code of the same name was registered later', async () => {
    const crib = await open();
    await crib.flows.registerData(report('1.0.0'));
    const { digest: planDigest } = await crib.flows.plan('report', {});
    crib.flows.register(codeReport('2.0.0'));
    const { finished } = await crib.flows.start('report', {}, { planDigest });
    expect(await finished).toMatchObject({ version: '1.0.0', output: '1.0.0' });
  });
});
