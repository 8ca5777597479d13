import { describe, expect, it } from 'vitest';
import { ask, someCaller, someTool } from '../../../test/fixtures/policy-question.ts';
import type { Isolation } from '../../contract/caller.ts';
import type { FlowState } from '../../contract/policy.ts';
import type { Capability, Tier } from '../../contract/tool.ts';
import { builtinPolicy } from './builtin-policy.ts';
import { conditionCompiler, isBadCondition } from './condition/compile-condition.ts';
import { NATIVE_TEXTS, nativeCondition } from './condition/native-conditions.ts';

const DELETE: Capability = { action: 'delete', description: '', destructive: true };
const TRIFECTA: FlowState = { untrusted: true, sensitivity: 'private' };
const SECRET: FlowState = { untrusted: false, sensitivity: 'secret' };

describe('the built-in policy', () => {
  const policy = builtinPolicy();
  const judge = (tier: Tier, capability?: Capability) =>
    policy.judge(ask({ tool: someTool({ tier: 'write' }), tier, capability }));

  it('lets reading and harmless writing pass, asks for the rest', () => {
    expect(judge('read_only')).toMatchObject({ effect: 'allow', rule: 'tier-1-read' });
    expect(judge('write')).toMatchObject({ effect: 'allow', rule: 'tier-2-write' });
    expect(judge('write', DELETE)).toMatchObject({ effect: 'ask', rule: 'confirm-delicate' });
    expect(judge('read_only', DELETE)).toMatchObject({ effect: 'ask', rule: 'confirm-delicate' });
    expect(judge('execute')).toMatchObject({ effect: 'ask', rule: 'tier-3-execute' });
    expect(judge('external_api')).toMatchObject({ effect: 'ask', rule: 'tier-4-external' });
  });

  it('denies what it does not know', () => {
    expect(judge('root' as Tier)).toMatchObject({ effect: 'deny', rule: 'default-deny' });
    expect(judge('constructor' as Tier).effect).toBe('deny');
  });

  it('hands out the same verdict object again: nothing is made for a call', () => {
    expect(judge('read_only')).toBe(judge('read_only'));
    expect(Object.isFrozen(judge('read_only'))).toBe(true);
  });

  it('has a version that changes with the flow mode', () => {
    expect(builtinPolicy().version).toBe(policy.version);
    expect(builtinPolicy('deny').version).not.toBe(policy.version);
    expect(policy.readsFlow).toBe(false);
  });
});

describe('the same question again', () => {
  const base = ask({ tool: someTool({ tier: 'write', capabilities: [DELETE] }) });
  it.each([
    ['tool', { tool: someTool({ tier: 'write' }) }, 'allow'],
    ['tier', { tier: 'read_only' as const, capability: undefined }, 'ask'],
    ['capability', { capability: { action: 'add', description: '' } }, 'allow'],
    ['caller', { caller: someCaller({ isolation: 'paranoid' }) }, 'ask'],
    ['flow', { flow: TRIFECTA }, 'ask'],
  ])('is not confused with one with another %s', (_name, change, effect) => {
    const policy = builtinPolicy();
    for (let n = 0; n < 3; n++) expect(policy.judge(base).rule).toBe('confirm-delicate');
    const verdict = policy.judge({ ...base, ...change });
    expect(verdict).toEqual(builtinPolicy().judge({ ...base, ...change }));
    expect(verdict.effect).toBe(effect);
    expect(policy.judge(base).rule).toBe('confirm-delicate');
  });
});

describe('data flow: untrusted content, private data and a way out', () => {
  const mail = someTool({ tier: 'external_api' });
  const search = someTool({ needs: { hosts: ['search.example'] } });

  it.each([
    ['a service', mail],
    ['a reading tool with hosts', search],
  ])('asks every time before %s gets both', (_what, tool) => {
    const verdict = builtinPolicy().judge(ask({ tool, flow: TRIFECTA }));
    expect(verdict).toMatchObject({ effect: 'ask', rule: 'flow-trifecta', everyTime: true });
  });

  it('denies where that was chosen, and secrets always', () => {
    expect(builtinPolicy('deny').judge(ask({ tool: mail, flow: TRIFECTA })).effect).toBe('deny');
    expect(builtinPolicy().judge(ask({ tool: mail, flow: SECRET }))).toMatchObject({
      effect: 'deny',
      rule: 'flow-secret',
    });
  });

  it('counts an unknown label as secret', () => {
    const flow = { untrusted: false, sensitivity: 'cosmic' } as unknown as FlowState;
    expect(builtinPolicy().judge(ask({ tool: mail, flow })).rule).toBe('flow-secret');
  });

  it('denies a sink when the labels cannot be read', () => {
    const { flow: _flow, ...rest } = ask({ tool: mail });
    const verdict = builtinPolicy().judge(rest as never);
    expect(verdict).toMatchObject({ effect: 'deny', rule: 'flow-secret' });
    expect(verdict.reason).toContain('could not be evaluated');
  });

  it('ignores tools that are no sink, and sessions that have seen only one of the two', () => {
    expect(builtinPolicy().judge(ask({ flow: SECRET })).effect).toBe('allow');
    for (const flow of [
      { untrusted: true, sensitivity: 'public' },
      { untrusted: false, sensitivity: 'private' },
    ] as const) {
      expect(builtinPolicy().judge(ask({ tool: search, flow })).effect).toBe('allow');
    }
  });

  it('is not watched when switched off', () => {
    const off = builtinPolicy('off');
    expect(off.judge(ask({ tool: search, flow: SECRET })).effect).toBe('allow');
  });
});

describe('isolation', () => {
  const judge = (isolation: string, tier: Tier, flow: FlowState = SECRET) =>
    builtinPolicy('off').judge(
      ask({
        tool: someTool({ needs: { hosts: ['a.example'] } }),
        tier,
        flow: flow,
        caller: someCaller({ isolation: isolation as Isolation }),
      }),
    );
  const PUBLIC: FlowState = { untrusted: true, sensitivity: 'public' };

  it.each(['none', 'basic'])('%s adds nothing', (level) => {
    expect(judge(level, 'read_only', TRIFECTA).effect).toBe('allow');
    expect(judge(level, 'execute')).not.toHaveProperty('everyTime');
  });

  it('strict asks every time, and denies sinks', () => {
    expect(judge('strict', 'execute')).toMatchObject({ effect: 'ask', everyTime: true });
    expect(judge('strict', 'read_only', TRIFECTA)).toMatchObject({ rule: 'isolation-flow' });
    expect(judge('strict', 'write', PUBLIC).effect).toBe('allow');
  });

  it.each(['paranoid', 'unheard-of', 'constructor'])('%s leaves only reading', (level) => {
    expect(judge(level, 'read_only', PUBLIC).effect).toBe('allow');
    expect(judge(level, 'read_only', TRIFECTA).effect).toBe('deny');
    expect(judge(level, 'write', PUBLIC)).toMatchObject({ effect: 'ask', everyTime: true });
    expect(judge(level, 'execute', PUBLIC).rule).toBe('isolation-paranoid');
    expect(judge(level, 'external_api', PUBLIC).effect).toBe('deny');
  });
});

describe('the conditions of built-in rules', () => {
  const flows = [true, false].flatMap((untrusted) =>
    (['public', 'private', 'secret'] as const).map((sensitivity) => ({ untrusted, sensitivity })),
  );
  const tools = [someTool(), someTool({ needs: { hosts: ['a.example'] }, capabilities: [DELETE] })];
  const questions = flows.flatMap((flow) =>
    tools.flatMap((tool) =>
      (['read_only', 'external_api'] as const).flatMap((tier) =>
        [undefined, DELETE].map((capability) => ask({ tool, tier, capability, flow })),
      ),
    ),
  );

  it.each(NATIVE_TEXTS)('%s: the code says what the CEL says', (text) => {
    const cel = conditionCompiler()(text);
    if (isBadCondition(cel)) throw new Error(cel.reason);
    const native = nativeCondition(text);
    const answers = questions.map((question) => native.holds(question));
    expect(answers).toEqual(questions.map((question) => cel.holds(question)));
    expect(new Set(answers).size).toBe(2);
  });
});
