import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../contract/caller.ts';
import {
  type Capability,
  defineTool,
  type Tier,
  type Tool,
  type ToolDefinition,
} from '../contract/tool.ts';
import { budgetScopes } from './budget.ts';
import { capabilityInUse, tierInUse } from './capability.ts';
import { cutForModel } from './cut-for-model.ts';
import { canonicalJson, digestOf } from './digest.ts';
import { estimateCost, toMicros } from './estimate-cost.ts';
import { refuseUrl } from './host-allowlist.ts';
import { createExecutionIds } from './ids.ts';
import { inspectorFor } from './inspect-input.ts';
import { createTierPolicy } from './tier-policy.ts';

const tool = (extra: Partial<ToolDefinition<unknown, unknown>> = {}): Tool =>
  defineTool({ name: 't', description: '', tier: 'read_only', input: {}, run: () => 1, ...extra });

const DELETE: Capability = { action: 'delete', description: '', destructive: true };
const READ: Capability = { action: 'read', description: '', tier: 'read_only' };

describe('tier policy', () => {
  const policy = createTierPolicy();
  const judge = (tier: Tier, capability?: Capability, permissions: string[] = ['*']) =>
    policy.judge({
      tool: tool({
        tier: 'write',
        permissions: ['tool:t'],
        capabilities: capability ? [capability] : [],
      }),
      tier,
      capability,
      input: {},
      caller: { ...LOCAL_CALLER, permissions },
    });

  it('lets reading and harmless writing pass, asks for the rest', () => {
    expect(judge('read_only').effect).toBe('allow');
    expect(judge('write').effect).toBe('allow');
    expect(judge('write', DELETE).effect).toBe('ask');
    expect(judge('execute').effect).toBe('ask');
    expect(judge('external_api').effect).toBe('ask');
  });

  it('denies what it does not know', () => {
    expect(judge('root' as Tier).effect).toBe('deny');
  });

  it('denies without the permission the tool names, wildcards understood by segment', () => {
    expect(judge('read_only', undefined, []).effect).toBe('deny');
    expect(judge('read_only', undefined, ['tool:other']).effect).toBe('deny');
    expect(judge('read_only', undefined, ['tool']).effect).toBe('deny');
    expect(judge('read_only', undefined, ['tool:*']).effect).toBe('allow');
    expect(judge('read_only', undefined, ['tool:t']).effect).toBe('allow');
  });
});

describe('the capability in use', () => {
  const files = tool({ tier: 'write', actionField: 'operation', capabilities: [READ, DELETE] });
  it('is told by the action field, and sets the tier', () => {
    expect(capabilityInUse(files, { operation: 'read' })).toBe(READ);
    expect(tierInUse(files, READ)).toBe('read_only');
    expect(tierInUse(files, DELETE)).toBe('write');
  });

  it('is unknown for anything else, and then the worst is assumed', () => {
    expect(capabilityInUse(files, { operation: 'constructor' })).toBeUndefined();
    expect(capabilityInUse(files, Object.create({ operation: 'read' }))).toBeUndefined();
    expect(capabilityInUse(files, 'read')).toBeUndefined();
    const runs: Capability = { action: 'run', description: '', tier: 'execute' };
    expect(tierInUse(tool({ tier: 'write', capabilities: [READ, runs] }), undefined)).toBe(
      'execute',
    );
    const caller = LOCAL_CALLER;
    const question = {
      tool: files,
      tier: 'write',
      capability: undefined,
      input: {},
      caller,
    } as const;
    expect(createTierPolicy().judge(question).effect).toBe('ask');
  });
});

describe('cost', () => {
  const cost = (model: Tool['cost'], input: unknown = {}) =>
    estimateCost(tool({ ...(model && { cost: model }) }), { input, capability: undefined }, 30_000);

  it('counts in whole micro-dollars and rounds up', () => {
    expect(toMicros(0.1 + 0.2)).toBe(300_000);
    expect(toMicros(0.0000001)).toBe(1);
    expect(toMicros(-1)).toBe(0);
    expect(toMicros(Number.NaN)).toBe(0);
  });

  it('adds fixed and per-unit prices', () => {
    const perRecord = { unit: 'record', price: 0.001, inputField: 'count' } as const;
    const model = { model: 'usage_based', fixed: 0.01, perUnit: perRecord } as const;
    expect(cost(model, { count: 10 }).costMicros).toBe(20_000);
    expect(cost(model, { count: [1, 2] }).costMicros).toBe(12_000);
    const perToken = { unit: 'token', price: 0.00001, inputField: 'text' } as const;
    expect(cost({ model: 'usage_based', perUnit: perToken }, { text: 'x'.repeat(8) })).toEqual({
      costMicros: 20,
      timeMs: undefined,
      confidence: 'estimate',
    });
    const perSecond = { unit: 'second', price: 0.01 } as const;
    expect(cost({ model: 'usage_based', perUnit: perSecond }).costMicros).toBe(300_000);
  });

  it('is nothing for free tools', () => {
    expect(cost(undefined).costMicros).toBe(0);
    expect(cost({ model: 'free', fixed: 5 }).costMicros).toBe(0);
  });

  it('is booked on the user and, where it has a limit, on the tool', () => {
    const call = { caller: LOCAL_CALLER, tool: 't', now: Date.UTC(2026, 0, 2) };
    expect(budgetScopes({ dailyUsd: 10 }, call)).toEqual([
      { key: 'user:local:2026-01-02', limitMicros: 10_000_000 },
    ]);
    expect(budgetScopes({ dailyUsd: 10, perTool: { t: 1 } }, call)).toHaveLength(2);
    expect(budgetScopes({ dailyUsd: 10, perTool: {} }, { ...call, tool: 'toString' })).toHaveLength(
      1,
    );
  });
});

describe('digests', () => {
  it('do not depend on the order of keys, but on everything else', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe('{"a":1,"b":[{"c":2,"d":1}]}');
    expect(digestOf({ a: 1, b: 2 })).toBe(digestOf({ b: 2, a: 1 }));
    expect(digestOf({ a: [1, 2] })).not.toBe(digestOf({ a: [2, 1] }));
    expect(digestOf({ a: '1' })).not.toBe(digestOf({ a: 1 }));
  });
});

describe('inspection', () => {
  const files = inspectorFor(tool({ category: 'filesystem' }));
  const shell = inspectorFor(tool({ tier: 'execute' }));
  const web = inspectorFor(tool({ tier: 'external_api' }));

  it.each([
    [files, { path: '../../etc/passwd' }, 'path_traversal'],
    [files, { path: 'a/../../b' }, 'path_traversal'],
    [files, { path: '..\\..\\windows' }, 'path_traversal'],
    [files, { files: [{ path: '../x' }] }, 'path_traversal'],
    [files, { path: 'a\u0000.txt' }, 'injection'],
    [shell, { command: 'sudo rm -rf /' }, 'privilege_escalation'],
    [web, { url: 'http://169.254.169.254/latest/meta-data' }, 'data_exfiltration'],
  ] as const)('%# refuses %o', (inspector, input, type) => {
    expect(inspector(input).map((violation) => violation.type)).toContain(type);
  });

  it.each([
    [files, { path: 'src/../README.md', content: 'cd ../../.. && sudo make\u0000' }],
    [files, { path: 'notes/a..b.txt' }],
    [shell, { command: 'echo sudo is a word' }],
    [web, { url: 'https://example.com/?q=169.254.169.254' }],
  ] as const)('%# allows %o', (inspector, input) => {
    expect(inspector(input)).toEqual([]);
  });
});

describe('hosts', () => {
  const refuse = (url: string, hosts = ['api.example.com', '*.svc.example.com']) =>
    refuseUrl(new URL(url), hosts);
  it.each([
    'https://api.example.com/x',
    'https://API.EXAMPLE.COM./x',
    'https://a.svc.example.com/',
  ])('allows %s', (url) => expect(refuse(url)).toBeUndefined());
  it.each([
    'https://evil.com/?api.example.com',
    'https://xapi.example.com/',
    'https://svc.example.com/',
    'https://evilsvc.example.com/',
    'https://user@api.example.com/',
    'file:///etc/passwd',
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::1]/',
  ])('refuses %s', (url) => expect(refuse(url)).toBeTypeOf('string'));
});

describe('cutting for a model', () => {
  it('says what was cut, and keeps what fits', () => {
    const cuts: string[] = [];
    const cut = cutForModel(
      { text: 'abcdef', list: [1, 2, 3], ok: 'abc' },
      { maxStringChars: 3, maxArrayItems: 2 },
      (what) => cuts.push(what),
    );
    expect(cut).toEqual({ text: 'abc… [3 more characters]', list: [1, 2], ok: 'abc' });
    expect(cuts).toHaveLength(2);
  });
});

describe('execution ids', () => {
  it('are unique, sort by age, and go on when the clock steps back', () => {
    let now = 1_800_000_000_000;
    const next = createExecutionIds(() => now);
    const ids = Array.from({ length: 100 }, () => next());
    now += 5;
    ids.push(next());
    now -= 100;
    ids.push(next());
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });
});
