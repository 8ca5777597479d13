/** Judging a call: by the built-in rules alone, and by a policy of 100 rules of all kinds. */
import { builtinPolicy } from '../dist/governance/policy/builtin-policy.js';
import { compilePolicy } from '../dist/governance/policy/compile-policy.js';
import { runIfMain, target } from './report.mjs';
import { summarize } from './statistics.mjs';

export const title = 'policy: one judgement';

const most = 5;
const mostBuiltin = 0.5;
const batch = 20_000;

const conditions = [
  'input.path.startsWith("prod/") && !("release" in caller.roles)',
  'input.amount > 100 && time.hour >= 20',
  'has(input.url) && input.url.matches("^https?://[^/]*\\\\.internal(/|$)")',
  'input.tags.exists(t, t == "frozen") || input.tags.size() > 20',
  'sink && flow.untrusted && input.path.endsWith(".pem")',
  'time.weekday in [6, 7] && destructive',
  'caller.user == "guest" && (tier == "write" || tier == "execute")',
  'input.n % 7 == 6 && input.amount * 2 > 10000',
  'tool.source == "mcp" && tool.tags.exists(t, t == "beta")',
  'now < timestamp("2020-01-01T00:00:00Z") || caller.session.startsWith("test-")',
];

/** 60 with tool lists, 30 with tiers, 10 with conditions; none of the last fits, so all are tried. */
const rules = [
  ...Array.from({ length: 60 }, (_, i) => ({
    name: `tool-${i}`,
    effect: ['allow', 'ask', 'deny'][i % 3],
    tools: [`tool_${i}`, `group_${i}_*`],
  })),
  ...Array.from({ length: 30 }, (_, i) => ({
    name: `tier-${i}`,
    effect: i % 2 === 0 ? 'deny' : 'ask',
    tiers: [['read_only', 'write', 'execute', 'external_api'][i % 4]],
    callers: { users: [`user-${i}`] },
  })),
  ...conditions.map((when, i) => ({ name: `rich-${i}`, effect: i % 2 ? 'ask' : 'deny', when })),
];

const toolOf = (name) => ({
  name,
  version: '1.0.0',
  source: 'builtin',
  category: 'filesystem',
  tier: 'write',
  capabilities: [],
  tags: ['files'],
});

const question = (tool) => ({
  tool,
  tier: tool.tier,
  capability: undefined,
  input: { path: 'src/a.ts', amount: 3, n: 4, url: 'https://a.example/', tags: ['a', 'b'] },
  caller: {
    userId: 'ann',
    agentId: 'bot',
    sessionId: 's-1',
    loopId: 'l-1',
    roles: ['developer'],
    permissions: ['*'],
    isolation: 'none',
  },
  now: Date.UTC(2026, 3, 1, 12),
  flow: { untrusted: true, sensitivity: 'public' },
});

/** Microseconds a judgement, one figure a round. */
const timesOf = (policy, questions, rounds) =>
  Array.from({ length: rounds }, () => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < batch; i++) policy.judge(questions[i % questions.length]);
    return Number(process.hrtime.bigint() - start) / 1000 / batch;
  });

const rowOf = (name, { policy, questions, limit, expected }, rounds) => {
  for (const one of questions) {
    const { effect, rule } = policy.judge(one);
    if (effect !== expected) throw new Error(`${name}: ${rule} says ${effect}`);
  }
  timesOf(policy, questions, 10);
  const { median: value, best, spread } = summarize(timesOf(policy, questions, rounds));
  const verdict = target(`≤ ${limit} µs`, value <= limit);
  return { name, value, best, unit: 'µs', spread, target: verdict };
};

export const measure = ({ quick }) => {
  const rounds = quick ? 10 : 50;
  const questions = Array.from({ length: 50 }, (_, i) => question(toolOf(`other_${i}`)));
  const source = { origin: 'bench', kind: 'program', document: { version: 1, rules } };
  const hundred = compilePolicy([source]);
  const expected = 'allow';
  return [
    rowOf(
      'built-in rules',
      { policy: builtinPolicy(), questions, limit: mostBuiltin, expected },
      rounds,
    ),
    rowOf(
      '100 rules, 10 conditions tried',
      { policy: hundred, questions, limit: most, expected },
      rounds,
    ),
    rowOf(
      '100 rules, one names the tool',
      { policy: hundred, questions: [question(toolOf('tool_0'))], limit: most, expected },
      rounds,
    ),
  ];
};

await runIfMain(import.meta.url, title, measure);
