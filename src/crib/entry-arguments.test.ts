/** Every function of a published entry, with what it cannot take: a coded error before anything is opened. */
import { describe, expect, it } from 'vitest';
import { forAiSdk } from '../adapters/ai-sdk.ts';
import { forAnthropic } from '../adapters/anthropic.ts';
import { forGemini } from '../adapters/gemini.ts';
import { forLangChain } from '../adapters/langchain.ts';
import { forMastra } from '../adapters/mastra.ts';
import { forOpenAI } from '../adapters/openai.ts';
import { forOpenAIAgents } from '../adapters/openai-agents.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import { defineFlowData } from '../contract/flow-data.ts';
import { conditional } from '../flow/compose/conditional.ts';
import { createComposition } from '../flow/compose/create-composition.ts';
import { parallel } from '../flow/compose/parallel.ts';
import { sequence } from '../flow/compose/sequence.ts';
import { createPostgresStore } from '../stores/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../stores/sqlite/create-sqlite-store.ts';
import { createMcpSurface } from '../surfaces/mcp/create-mcp-surface.ts';
import { loadConfig } from '../trust/load-config.ts';
import { createCrib } from './create-crib.ts';
import { createRuntime } from './create-runtime.ts';
import { openProject } from './open-project.ts';

type Callable = (...values: never[]) => unknown;

const tool = defineTool({
  name: 'a',
  description: 'a',
  tier: 'read_only',
  input: {},
  run: () => 1,
});
const aCrib = { execute: () => undefined };
const definition = {
  type: 'composed',
  name: 'composed',
  description: 'Composes.',
  schema: { type: 'object' },
  composition: { steps: [{ id: 'one', tool: 'a' }] },
};
const runtime = createRuntime();

const codeOf = async (call: () => unknown): Promise<unknown> => {
  try {
    await call();
    return 'no error';
  } catch (error) {
    return (error as { code?: unknown }).code ?? String(error);
  }
};

const WRONG: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a number', 5],
  ['a symbol', Symbol('x')],
  ['a list', [5]],
  ['a misspelt option', { foo: 1 }],
];
/** Faults of definitions are faults of configuration. */
const CODES = ['VALIDATION_ERROR', 'CONFIG_INVALID'];

/** Each with the arguments before the wrong one, and whether it may be left out. */
const ENTRIES: readonly (readonly [string, Callable, readonly unknown[], boolean])[] = [
  ['createCrib', createCrib, [], true],
  ['openProject, folder', openProject, [], false],
  ['openProject, options', openProject, ['.'], true],
  ['loadConfig', loadConfig, [], false],
  ['defineTool', defineTool, [], false],
  ['defineFlow', defineFlow, [], false],
  ['sequence', sequence, [], false],
  ['sequence, options', sequence, [[tool]], true],
  ['parallel', parallel, [], false],
  ['parallel, options', parallel, [[tool]], true],
  ['conditional', conditional, [], false],
  ['conditional, options', conditional, [[{ condition: () => true, tools: [tool] }]], true],
  ['createComposition', createComposition, [], false],
  ['createComposition, tools', createComposition, [definition], false],
  ['createComposition, options', createComposition, [definition, [tool]], true],
  ['createSqliteStore', createSqliteStore, [], false],
  ['createPostgresStore', createPostgresStore, [], false],
  ['createMcpSurface', createMcpSurface, [], false],
  ['createMcpSurface, options', createMcpSurface, [aCrib], false],
  ...[
    forAiSdk,
    forOpenAI,
    forAnthropic,
    forLangChain,
    forOpenAIAgents,
    forGemini,
    forMastra,
  ].flatMap(
    (adapter) =>
      [
        [adapter.name, adapter, [], false],
        [`${adapter.name}, options`, adapter, [aCrib], true],
      ] as const,
  ),
];

describe('a published function that is handed what it cannot take', () => {
  it.each(ENTRIES)('%s answers with a code', async (_, method, before, mayBeAbsent) => {
    const wrong: string[] = [];
    const values = mayBeAbsent ? WRONG : [...WRONG, ['undefined', undefined] as const];
    for (const [label, value] of values) {
      const code = await codeOf(() => Reflect.apply(method, undefined, [...before, value]));
      if (!CODES.includes(String(code))) wrong.push(`${label}: ${String(code)}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['createRuntime(5)', () => createRuntime(5 as never)],
    ['createRuntime(null)', () => createRuntime(null as never)],
    ['a clock that is none', () => createRuntime({ now: 5 } as never)],
    [
      'an aggregator that is none',
      () => createComposition(definition as never, [tool], { custom: 5 } as never),
    ],
    ['a path of a store that is none', () => createSqliteStore({ path: 5, runtime } as never)],
    ['a store without a clock', () => createSqliteStore({ path: ':memory:' } as never)],
    ['an address that is none', () => createPostgresStore({ url: 5, runtime } as never)],
    [
      'no connections',
      () => createPostgresStore({ url: 'postgres://a/b', runtime, connections: 0 }),
    ],
  ])('%s answers VALIDATION_ERROR', async (_, call) => {
    expect(await codeOf(call)).toBe('VALIDATION_ERROR');
  });

  it('defineFlowData leaves what is wrong with a flow to its registration', async () => {
    const crib = await createCrib({ store: 'memory', builtins: false });
    for (const [, value] of WRONG.slice(0, 4)) {
      const register = () => crib.flows.registerData(defineFlowData(value as never));
      expect(CODES).toContain(await codeOf(register));
    }
    await crib.close();
  });
});
