/**
 * Z2: the policy engine says what a model of a few lines says, on random policies and calls. The
 * model shares no code with the engine: it has its own idea of names, conditions and order.
 */
import { describe, expect, it } from 'vitest';
import type { Caller, Isolation } from '../../src/contract/caller.ts';
import type { FlowState, PolicyQuestion } from '../../src/contract/policy.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { compilePolicy } from '../../src/governance/policy/compile-policy.ts';
import type {
  PolicyDocument,
  PolicyRule,
  PolicySource,
} from '../../src/governance/policy/document/policy-document.ts';
import { sized, TIME_LIMIT } from './size.ts';

/** Pairs of a policy and a call. */
const PAIRS = sized(2000, 100_000);
const CALLS_A_POLICY = 5;

/** Mulberry32: the same run every time. */
const chance = (seed: number) => {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const some = <T>(from: readonly T[]): T[] => {
    const chosen = from.filter(() => next() < 0.5);
    return chosen.length > 0 ? chosen : [pick(from)];
  };
  return { next, pick, some, maybe: (share: number) => next() < share };
};
type Chance = ReturnType<typeof chance>;

const NAMES = ['read_file', 'write_file', 'git_push', 'mail', 'git'];
const PATTERNS = [...NAMES, 'git*', '*_file', '*', 'w*e', '*a*', 'git_*h'];
const TIERS = ['read_only', 'write', 'execute', 'external_api'] as const;
const EFFECTS = ['allow', 'ask', 'deny'] as const;
const ACTIONS = ['read', 'write', 'delete'];
const SOURCES = ['builtin', 'mcp', 'team'] as const;
const PEOPLE = ['ann', 'bob'];
const ROLES = ['dev', 'ops', 'guest'];
const LEVELS = ['none', 'basic', 'strict', 'paranoid'] as const;

type Answer = boolean | 'unknown';

/** Each condition with its meaning, written by hand; `unknown` where evaluation must fail. */
const CONDITIONS: readonly (readonly [string, (q: PolicyQuestion) => Answer])[] = [
  ['true', () => true],
  ['input.n > 2', (q) => numberIn(q, (n) => n > 2)],
  ['input.n == 3', (q) => ('n' in fields(q) ? fields(q).n === 3 : 'unknown')],
  ['has(input.n) && input.n % 2 == 0', (q) => 'n' in fields(q) && numberIn(q, (n) => n % 2 === 0)],
  ['tier == "write" || sink', (q) => q.tier === 'write' || leaves(q)],
  ['flow.untrusted', (q) => q.flow.untrusted],
  ['input.path.startsWith("prod/")', (q) => textIn(q, (path) => path.startsWith('prod/'))],
  ['input.path.matches("^[a-z]+/x$")', (q) => textIn(q, (path) => /^[a-z]+\/x$/.test(path))],
  [
    '"dev" in caller.roles && action != "delete"',
    (q) => q.caller.roles.includes('dev') && q.capability?.action !== 'delete',
  ],
];

const fields = (q: PolicyQuestion) => q.input as { readonly n?: unknown; readonly path?: unknown };
const numberIn = (q: PolicyQuestion, test: (n: number) => boolean): Answer =>
  typeof fields(q).n === 'number' ? test(Number(fields(q).n)) : 'unknown';
const textIn = (q: PolicyQuestion, test: (text: string) => boolean): Answer =>
  typeof fields(q).path === 'string' ? test(String(fields(q).path)) : 'unknown';
const leaves = (q: PolicyQuestion): boolean =>
  q.tier === 'external_api' || (q.tool.needs?.hosts ?? []).length > 0;

const randomRule = (random: Chance, name: string): PolicyRule => {
  const effect = random.pick(EFFECTS);
  return {
    name,
    effect,
    ...(random.maybe(0.5) && { tools: random.some(PATTERNS).slice(0, 2) }),
    ...(random.maybe(0.4) && { tiers: random.some(TIERS) }),
    ...(random.maybe(0.2) && { actions: random.some(ACTIONS) }),
    ...(random.maybe(0.2) && { sources: random.some(SOURCES) }),
    ...(random.maybe(0.3) && { callers: randomCallers(random) }),
    ...(random.maybe(0.5) && { when: random.pick(CONDITIONS)[0] }),
    ...(effect === 'ask' && random.maybe(0.3) && { everyTime: true }),
    ...(random.maybe(0.15) && { shadow: true }),
  };
};

const randomCallers = (random: Chance) => ({
  ...(random.maybe(0.4) && { users: random.some(PEOPLE) }),
  ...(random.maybe(0.4) && { roles: random.some(ROLES) }),
  ...(random.maybe(0.2) && { agents: random.some(PEOPLE) }),
  ...(random.maybe(0.2) && { sessions: random.some(PEOPLE) }),
});

const randomDocument = (random: Chance, prefix: string): PolicyDocument => ({
  version: 1,
  ...(random.maybe(0.3) && { builtin: random.maybe(0.5) }),
  ...(random.maybe(0.1) && { shadow: true }),
  ...(random.maybe(0.3) && { roles: { [random.pick(ROLES)]: { isolation: random.pick(LEVELS) } } }),
  rules: Array.from({ length: Math.floor(random.next() * 6) }, (_, index) =>
    randomRule(random, `${prefix}-${index}`),
  ),
});

const randomSources = (random: Chance): PolicySource[] =>
  (['user', 'program', 'project', 'project'] as const)
    .filter(() => random.maybe(0.6))
    .map((kind, index) => ({
      origin: `${index}`,
      kind,
      document: randomDocument(random, `${kind}-${index}`),
    }));

const randomCall = (random: Chance): PolicyQuestion => {
  const capabilities = random.some(ACTIONS).map((action) => ({
    action,
    description: '',
    destructive: action === 'delete',
  }));
  const tool = {
    name: random.pick(NAMES),
    version: '1.0.0',
    source: random.pick(SOURCES),
    category: 'custom',
    capabilities,
    ...(random.maybe(0.3) && { needs: { hosts: ['a.example'] } }),
  } as unknown as Tool;
  return {
    tool,
    tier: random.maybe(0.03) ? ('root' as 'write') : random.pick(TIERS),
    capability: random.maybe(0.3) ? undefined : random.pick(capabilities),
    input: {
      ...(random.maybe(0.8) && { n: random.pick<unknown>([1, 2, 3, 4, 2.5, 'x']) }),
      ...(random.maybe(0.8) && { path: random.pick<unknown>(['prod/x', 'src/y', '', 7]) }),
    },
    caller: randomCaller(random),
    now: 0,
    flow: randomFlow(random),
  };
};

const randomCaller = (random: Chance): Caller => ({
  userId: random.pick(PEOPLE),
  agentId: random.pick(PEOPLE),
  sessionId: random.pick(PEOPLE),
  loopId: 'l',
  roles: random.some(ROLES),
  permissions: ['*'],
  isolation: random.maybe(0.6) ? 'none' : random.pick(LEVELS),
});

const randomFlow = (random: Chance): FlowState => ({
  untrusted: random.maybe(0.5),
  sensitivity: random.pick(['public', 'public', 'private', 'secret'] as const),
});

type Word = 'allow' | 'ask' | 'ask every time' | 'deny';
const STRICTNESS: readonly Word[] = ['allow', 'ask', 'ask every time', 'deny'];
const strictest = (words: readonly Word[]): Word =>
  STRICTNESS[Math.max(...words.map((word) => STRICTNESS.indexOf(word)))] as Word;

const wordOf = ({ effect, everyTime }: PolicyRule): Word =>
  effect === 'ask' && everyTime ? 'ask every time' : effect;

const nameFits = (pattern: string, name: string): boolean =>
  new RegExp(`^${pattern.split('*').join('.*')}$`).test(name);

const modelFits = (rule: PolicyRule, q: PolicyQuestion): boolean => {
  const { tools, tiers, actions, sources, callers, when } = rule;
  const known: readonly string[] = tiers ?? TIERS;
  if (!known.includes(q.tier)) return false;
  if (tools && !tools.some((pattern) => nameFits(pattern, q.tool.name))) return false;
  if (sources && !(sources as readonly string[]).includes(q.tool.source)) return false;
  if (callers?.users && !callers.users.includes(q.caller.userId)) return false;
  if (callers?.agents && !callers.agents.includes(q.caller.agentId)) return false;
  if (callers?.sessions && !callers.sessions.includes(q.caller.sessionId)) return false;
  if (callers?.roles && !q.caller.roles.some((role) => callers.roles?.includes(role))) return false;
  if (actions) {
    const possible = q.capability
      ? [q.capability]
      : rule.effect === 'allow'
        ? []
        : q.tool.capabilities;
    if (!possible.some(({ action }) => actions.includes(action))) return false;
  }
  const meaning = CONDITIONS.find(([text]) => text === when)?.[1];
  const answer = meaning ? meaning(q) : true;
  return answer === 'unknown' ? rule.effect !== 'allow' : answer;
};

const modelBuiltin = (q: PolicyQuestion): Word => {
  const delicate = (q.capability ? [q.capability] : q.tool.capabilities).some((c) => c.destructive);
  if (q.tier === 'read_only' || q.tier === 'write') return delicate ? 'ask' : 'allow';
  return q.tier === 'execute' || q.tier === 'external_api' ? 'ask' : 'deny';
};

const isolationOf = (sources: readonly PolicySource[], { caller }: PolicyQuestion): Isolation => {
  const ranks = sources
    .filter(({ document }) => !document.shadow)
    .flatMap(({ document }) => caller.roles.map((role) => document.roles?.[role]?.isolation))
    .map((level) => LEVELS.indexOf(level ?? 'none'));
  return LEVELS[Math.max(LEVELS.indexOf(caller.isolation), ...ranks)] as Isolation;
};

const modelGuards = (level: Isolation, q: PolicyQuestion): Word[] => {
  const words: Word[] = ['allow'];
  const isPrivate = q.flow.sensitivity !== 'public';
  const trifecta = leaves(q) && q.flow.untrusted && isPrivate;
  if (trifecta) words.push('ask every time');
  if (leaves(q) && q.flow.sensitivity === 'secret') words.push('deny');
  if (trifecta && (level === 'strict' || level === 'paranoid')) words.push('deny');
  if (level === 'paranoid' && q.tier === 'write') words.push('ask every time');
  if (level === 'paranoid' && q.tier !== 'write' && q.tier !== 'read_only') words.push('deny');
  return words;
};

const model = (sources: readonly PolicySource[], q: PolicyQuestion): Word => {
  const live = sources.filter(({ document }) => !document.shadow);
  const rulesOf = (isProject: boolean): PolicyRule[] =>
    live
      .filter(({ kind }) => (kind === 'project') === isProject)
      .flatMap(({ document }) => document.rules ?? [])
      .filter((rule) => !rule.shadow && modelFits(rule, q));
  const mine = rulesOf(false);
  const fallback = live.some(({ document }) => document.builtin === false)
    ? 'deny'
    : modelBuiltin(q);
  const first = mine[0];
  const chosen = mine.some(({ effect }) => effect === 'deny')
    ? 'deny'
    : first
      ? wordOf(first)
      : fallback;
  const narrowed = rulesOf(true).map(wordOf);
  const level = isolationOf(sources, q);
  const word = strictest([chosen, ...narrowed, ...modelGuards(level, q)]);
  return word === 'ask' && (level === 'strict' || level === 'paranoid') ? 'ask every time' : word;
};

const engine = (sources: readonly PolicySource[], calls: readonly PolicyQuestion[]): Word[] => {
  const policy = compilePolicy(sources);
  return calls.map((call) => {
    const { effect, everyTime } = policy.judge(call);
    return everyTime ? 'ask every time' : effect;
  });
};

interface Round {
  readonly sources: readonly PolicySource[];
  readonly calls: readonly PolicyQuestion[];
  readonly words: readonly Word[];
}

const randomRounds = (): Round[] =>
  Array.from({ length: PAIRS / CALLS_A_POLICY }, (_, seed) => {
    const random = chance(seed + 1);
    const sources = randomSources(random);
    const calls = Array.from({ length: CALLS_A_POLICY }, () => randomCall(random));
    return { sources, calls, words: engine(sources, calls) };
  });

const title = `Z2: ${PAIRS} random pairs of a policy and a call`;
describe(title, { timeout: TIME_LIMIT }, () => {
  const rounds = randomRounds();

  it('are judged as the model judges them', () => {
    const seen = new Set<Word>();
    for (const { sources, calls, words } of rounds) {
      const expected = calls.map((call) => model(sources, call));
      for (const word of words) seen.add(word);
      if (words.join() !== expected.join()) {
        expect({ sources, calls, words }).toEqual({ sources, calls, words: expected });
      }
    }
    expect([...seen].sort()).toEqual([...STRICTNESS].sort());
  });

  it('are never judged more mildly because of a project', () => {
    let narrowed = 0;
    for (const { sources, calls, words } of rounds) {
      const without = engine(
        sources.filter(({ kind }) => kind !== 'project'),
        calls,
      );
      const milder = words.filter((word, index) => {
        const before = STRICTNESS.indexOf(without[index] as Word);
        narrowed += STRICTNESS.indexOf(word) > before ? 1 : 0;
        return STRICTNESS.indexOf(word) < before;
      });
      if (milder.length > 0)
        expect({ sources, calls, milder }).toEqual({ sources, calls, milder: [] });
    }
    expect(narrowed).toBeGreaterThan(PAIRS / 50);
  });

  it('are denied when any rule that counts denies, and when no rule fits', () => {
    let denied = 0;
    let silent = 0;
    for (const { sources, calls, words } of rounds) {
      const live = sources.filter(({ document }) => !document.shadow);
      const rules = live
        .flatMap(({ document }) => document.rules ?? [])
        .filter((rule) => !rule.shadow);
      for (const [index, call] of calls.entries()) {
        const fitting = rules.filter((rule) => modelFits(rule, call));
        const isDenied = fitting.some(({ effect }) => effect === 'deny');
        const isSilent =
          fitting.length === 0 && live.some(({ document }) => document.builtin === false);
        if (!isDenied && !isSilent) continue;
        denied += isDenied ? 1 : 0;
        silent += isSilent ? 1 : 0;
        if (words[index] !== 'deny') expect({ sources, call, word: words[index] }).toBe('deny');
      }
    }
    expect(Math.min(denied, silent)).toBeGreaterThan(PAIRS / 50);
  });
});
