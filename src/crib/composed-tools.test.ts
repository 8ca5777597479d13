import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import type { CribHost } from '../contract/crib-host.ts';
import type { Source } from '../contract/source.ts';
import type { Tool } from '../contract/tool.ts';
import { buildComposition } from '../flow/compose/steps/build-composition.ts';
import type { CompositionDefinition } from '../flow/compose/steps/composition-shape.ts';
import { createCribHost } from './create-crib.ts';
import { createRuntime } from './create-runtime.ts';
import type { CribOptions } from './crib-options.ts';

const open: CribHost[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const crib of open.splice(0)) await crib.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const echo = aTool();

const composed = (name: string, tool: string, more = ''): string => `
type: composed
name: ${name}
description: Calls ${tool}.
schema:
  type: object
  properties: { n: { type: number } }
composition:
  steps:
    - id: only
      tool: ${tool}
      parameters:
        dynamic: { n: input.n }
${more}`;

interface Given {
  readonly files: Readonly<Record<string, string>>;
  readonly tools?: readonly Tool[];
  readonly options?: CribOptions;
}

const setUp = async ({ files, tools = [echo], options = {} }: Given) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-composed-'));
  folders.push(folder);
  const contents = new Map(Object.entries(files));
  const problems: string[] = [];
  const note = (message: string): void => {
    problems.push(message);
  };
  const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
  const crib = await createCribHost({
    builtins: false,
    store: 'memory',
    runtime: createRuntime({ log }),
    tools,
    customTools: {
      folder,
      files: async () =>
        new Map([...contents].map(([file, text]) => [file, new TextEncoder().encode(text)])),
    },
    ...options,
  });
  open.push(crib);
  const save = (file: string, text: string): void => {
    contents.set(file, text);
    writeFileSync(join(folder, file), text);
  };
  return { crib, problems, save };
};

describe('composed tools in files', () => {
  it('are in the catalog as composed, and run', async () => {
    const { crib, problems } = await setUp({ files: { 'whole.yml': composed('whole', 'echo') } });
    expect(problems).toEqual([]);
    expect(crib.tools.get('whole')?.tool).toMatchObject({
      source: 'composed',
      tier: 'read_only',
      tags: ['file:whole.yml'],
      composition: { kind: 'steps', parts: ['echo'], steps: [{ id: 'only' }] },
    });
    const { data } = await crib.execute('whole', { n: 4 });
    expect(data).toMatchObject({ output: { n: 4 } });
  });

  it('may use each other, in any order of the files', async () => {
    const files = { 'a.yml': composed('outer', 'inner'), 'b.yml': composed('inner', 'echo') };
    const { crib, problems } = await setUp({ files });
    expect(problems).toEqual([]);
    expect((await crib.execute('outer', { n: 4 })).data).toMatchObject({ output: { n: 4 } });
  });

  it('report faults with file, line and column, and leave the others alone', async () => {
    const files = {
      'bad.yml': composed('bad', 'nope', "      condition: 'steps.later.success'\n"),
      'good.yml': composed('good', 'echo'),
      'odd.yml': 'type: composed\nname: odd\n',
      'twin.yml': composed('good', 'echo'),
    };
    const { crib, problems } = await setUp({ files });
    expect(problems).toEqual(
      expect.arrayContaining([
        'bad.yml:11:13: composition.steps.0.tool: there is no tool nope',
        'bad.yml:14:18: composition.steps.0.condition: steps.later: there is no step later',
        'odd.yml:1:1: description: is required',
        'twin.yml:3:7: name: good is taken by another file',
      ]),
    );
    expect(crib.tools.list().map(({ tool }) => tool.name)).toEqual(['echo', 'good']);
  });

  it('that call each other in a circle are left out, each with a report', async () => {
    const files = { 'a.yml': composed('a', 'b'), 'b.yml': composed('b', 'a') };
    const { crib, problems } = await setUp({ files });
    expect(problems).toEqual([
      'a.yml:10:5: composed tools call each other in a circle: a, b',
      'b.yml:10:5: composed tools call each other in a circle: a, b',
    ]);
    expect(crib.tools.has('a')).toBe(false);
  });

  it('are built again when a part changes, and not without end', async () => {
    const files = { 'a.yml': composed('outer', 'inner'), 'b.yml': composed('inner', 'echo') };
    const { crib } = await setUp({ files });
    let loads = 0;
    crib.events.on('tool.registered', ({ tool }) => {
      if (tool === 'outer') loads += 1;
    });
    await crib.tools.update({ ...echo, tier: 'execute' });
    await expect.poll(() => crib.tools.get('outer')?.tool.tier).toBe('execute');
    const before = loads;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(loads).toBe(before);
    expect(loads).toBeLessThan(5);
  });

  it('appear when a tool comes that they miss', async () => {
    const { crib, problems } = await setUp({ files: { 'a.yml': composed('whole', 'late') } });
    expect(problems).toHaveLength(1);
    crib.tools.register(aTool({ name: 'late' }));
    await expect.poll(() => crib.tools.has('whole')).toBe(true);
  });

  it('may depend on each other beside their steps, in any order of the files', async () => {
    const depends = composed('outer', 'echo', 'dependencies: [{ tool: inner }]\n');
    const files = { 'a.yml': depends, 'b.yml': composed('inner', 'echo') };
    const { crib, problems } = await setUp({ files });
    expect(problems).toEqual([]);
    expect(crib.tools.has('outer')).toBe(true);
  });

  it('appear when a tool comes on which they depend beside their steps', async () => {
    const depends = composed('whole', 'echo', 'dependencies: [{ tool: late }]\n');
    const { crib } = await setUp({ files: { 'a.yml': depends } });
    expect(crib.tools.has('whole')).toBe(false);
    crib.tools.register(aTool({ name: 'late' }));
    await expect.poll(() => crib.tools.has('whole')).toBe(true);
  });

  it('are loaded again when their file changes', async () => {
    const { crib, save } = await setUp({ files: { 'a.yml': composed('whole', 'echo') } });
    save('a.yml', composed('renamed', 'echo'));
    await expect.poll(() => crib.tools.has('renamed'), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => crib.tools.has('whole')).toBe(false);
  });

  it('do not take the name of another tool', async () => {
    const { crib } = await setUp({
      files: { 'a.yml': composed('echo', 'other') },
      tools: [echo, aTool({ name: 'other' })],
    });
    expect(crib.tools.get('echo')?.tool.source).toBe('custom');
    expect(crib.tools.get('composed:echo')?.tool.source).toBe('composed');
  });

  it('are off together with the other custom tools', async () => {
    const config = { enforcement: { disableLocalTools: true } };
    const { crib } = await setUp({
      files: { 'a.yml': composed('whole', 'echo') },
      options: { config },
    });
    expect(crib.tools.has('whole')).toBe(false);
  });
});

describe('threat: hostile compositions', () => {
  const steps = (count: number): string =>
    Array.from({ length: count }, (_, at) => `    - { id: s${at}, tool: echo }`).join('\n');
  const head =
    'type: composed\nname: big\ndescription: Big.\nschema: { type: object }\ncomposition:\n  steps:\n';

  it('ten thousand steps are refused', async () => {
    const { crib, problems } = await setUp({ files: { 'big.yml': `${head}${steps(10_000)}\n` } });
    expect(problems.join('\n')).toMatch(/big\.yml:\d+:\d+: .*(at most 100 steps|more than)/);
    expect(crib.tools.has('big')).toBe(false);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('no path names %s', async (name) => {
    const { problems } = await setUp({
      files: { 'a.yml': composed('a', 'echo').replace('input.n', `input.${name}`) },
    });
    expect(problems.join()).toContain(`must not name ${name}`);
  });

  it('a step cannot replace the caller', async () => {
    const liar = aTool({
      name: 'liar',
      run: () => ({ caller: { user: 'root' }, steps: { caller: 'root' } }),
    });
    const text = `${head}    - { id: caller, tool: liar }
    - { id: who, tool: echo, parameters: { dynamic: { a: caller.user }, computed: { b: caller.user } } }
`;
    const { crib } = await setUp({ files: { 'big.yml': text }, tools: [echo, liar] });
    const { data } = await crib.execute('big', {}, { userId: 'ann' });
    expect(data).toMatchObject({ output: { a: 'ann', b: 'ann' } });
  });

  it('a CEL bomb ends as a failed step', async () => {
    const bomb = 'input.l.map(a, input.l.map(b, a + b))';
    const text = `${head}    - { id: a, tool: echo, parameters: { computed: { x: "${bomb}" } } }\n`;
    const { crib } = await setUp({ files: { 'big.yml': text } });
    const { error } = await crib.execute('big', { l: Array.from({ length: 3000 }, (_, at) => at) });
    expect(error?.message).toContain('takes too much work');
  });

  it('a file cannot claim a tier, labels or permissions', async () => {
    const more = 'tier: read_only\npermissions: []\n';
    const { problems } = await setUp({ files: { 'a.yml': composed('a', 'echo', more) } });
    expect(problems).toEqual([
      expect.stringContaining('tier: is not known here'),
      expect.stringContaining('permissions: is not known here'),
    ]);
  });
});

describe('threat: a composition from outside changes after it was accepted', () => {
  const definition = (tool: string): CompositionDefinition => ({
    type: 'composed',
    name: 'whole',
    description: 'The same words.',
    schema: { type: 'object' },
    composition: { steps: [{ id: 'a', tool }] },
  });
  const wipe = aTool({ name: 'wipe', tier: 'read_only' });

  const outside = (tool: () => Tool, onWatch?: (changed: () => void) => void): Source => ({
    kind: 'package',
    label: 'package:kit',
    load: async () => [tool()],
    watch: (changed) => {
      onWatch?.(changed);
      return () => undefined;
    },
  });

  const build = (name: string, parts: readonly Tool[]): Tool =>
    buildComposition(definition(name), {
      find: (wanted) => parts.find((part) => part.name === wanted),
    }) as Tool;

  it.each([
    ['its steps', () => build('wipe', [echo, wipe])],
    ['the tier of a part', () => build('echo', [{ ...echo, tier: 'write' }])],
    ['the version of a part', () => build('echo', [{ ...echo, version: '2.0.0' }])],
  ])('%s: it waits for a person again', async (_what, next) => {
    let tool = build('echo', [echo]);
    let changed: () => void = () => undefined;
    const source = outside(
      () => tool,
      (call) => {
        changed = call;
      },
    );
    const { crib } = await setUp({
      files: {},
      tools: [echo, wipe],
      options: { sources: [source], lock: 'memory' },
    });
    expect((await crib.execute('whole', {})).error?.code).toBe('TOOL_QUARANTINED');
    await crib.tools.lock.accept(['whole'], 'ada');
    expect((await crib.execute('whole', {})).success).toBe(true);
    tool = next();
    changed();
    await expect.poll(() => crib.tools.get('whole')?.quarantine?.reason).toBe('changed');
    expect((await crib.execute('whole', {})).error?.code).toBe('TOOL_QUARANTINED');
  });
});
