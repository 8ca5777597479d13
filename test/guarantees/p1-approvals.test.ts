import { mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalRecord } from '../../src/contract/approver.ts';
import type { CallAs } from '../../src/contract/call-options.ts';
import type { Policy } from '../../src/contract/policy.ts';
import type { Store } from '../../src/contract/store.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { createCrib } from '../../src/crib/create-crib.ts';
import { createMemoryStore } from '../../src/stores/memory/create-memory-store.ts';
import { fakeRuntime } from '../fixtures/fake-runtime.ts';
import { aTool } from '../fixtures/test-crib.ts';
import { sized, TIME_LIMIT } from './size.ts';

interface Run {
  readonly input: unknown;
  readonly user: string;
  readonly session: string;
  readonly definition: string;
}

const USERS = ['ada', 'eve'] as const;
const INPUTS = [{ path: 'a.txt' }, { path: 'b.txt' }, { path: 'link.txt' }] as const;
const EXPIRES_MS = 10 * 60_000;

/** Two cribs over one store, like two processes; the tool, the policy and a link can change. */
const setUp = async (root: string) => {
  const store: Store = { ...createMemoryStore(), close: () => Promise.resolve() };
  const runtime = fakeRuntime();
  const runs: Run[] = [];
  let description = 'One.';
  const wipe = (text: string): Tool =>
    aTool({
      name: 'wipe',
      description: text,
      tier: 'execute',
      needs: { paths: [{ path: '.', access: 'read' }] },
      run: ((input: unknown, context: { userId: string; sessionId: string }) => {
        runs.push({
          input,
          user: context.userId,
          session: context.sessionId,
          definition: description,
        });
        return 'done';
      }) as Tool['run'],
    });
  const policyState = { version: 'p1', effect: 'ask' as 'ask' | 'deny' };
  const policy: Policy = {
    get version() {
      return policyState.version;
    },
    judge: () => ({ effect: policyState.effect, rule: 'r', reason: 'Because.' }),
  };
  const open = () =>
    createCrib({
      root,
      builtins: false,
      store,
      runtime,
      policy,
      tools: [wipe('One.')],
      home: join(root, 'home'),
      config: { approvals: { expiresMinutes: EXPIRES_MS / 60_000 } },
    });
  const cribs = [await open(), await open()] as const;
  const redefine = async (text: string): Promise<void> => {
    description = text;
    for (const crib of cribs) await crib.tools.update(wipe(text));
  };
  return { store, runtime, runs, cribs, redefine, policyState };
};

type World = Awaited<ReturnType<typeof setUp>> & { readonly root: string };

type Step =
  | { readonly kind: 'ask'; readonly crib: number; readonly user: number; readonly input: number }
  | { readonly kind: 'decide'; readonly pick: number; readonly how: string }
  | {
      readonly kind: 'redeem';
      readonly pick: number;
      readonly twist: string;
      readonly crib: number;
    }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'change'; readonly what: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      crib: fc.nat(1),
      user: fc.nat(1),
      input: fc.nat(2),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      pick: fc.nat(5),
      how: fc.constantFrom('yes', 'yes', 'no', 'edit', 'link', 'forged'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('redeem' as const),
      pick: fc.nat(5),
      crib: fc.nat(1),
      twist: fc.constantFrom('', '', '', 'input', 'user', 'session', 'double', 'unknown'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1000, EXPIRES_MS / 2, EXPIRES_MS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      what: fc.constantFrom('definition', 'back', 'policy', 'deny', 'allow', 'link'),
    }),
  },
);

const picked = async ({ store }: World, pick: number): Promise<ApprovalRecord | undefined> => {
  const records = [...(await store.approvals.list())].reverse();
  return records[pick % Math.max(1, records.length)];
};

const decide = async (world: World, pick: number, how: string): Promise<void> => {
  const record = await picked(world, pick);
  if (!record) return;
  const [crib] = world.cribs;
  if (how === 'link' || how === 'forged') {
    const links = await crib.approvals.links(record.id).catch(() => undefined);
    const token = how === 'link' ? links?.approve : links?.approve.replace(/.$/, '!');
    await crib.approvals.decideByLink(token ?? 'x.y').catch(() => undefined);
    return;
  }
  const input = how === 'edit' ? { path: 'edited.txt' } : undefined;
  const answer = { approve: how !== 'no', by: 'boss', ...(input && { input }) };
  await crib.approvals.decide(record.id, answer);
};

const twisted = (record: ApprovalRecord, twist: string): { input: unknown; as: CallAs } => {
  const { userId, sessionId, request, id } = record;
  const as = { userId, sessionId, approvalId: id };
  if (twist === 'input') return { input: { path: 'other.txt' }, as };
  if (twist === 'user') return { input: request.input, as: { ...as, userId: 'mallory' } };
  if (twist === 'session') return { input: request.input, as: { ...as, sessionId: 'other' } };
  if (twist === 'unknown') return { input: request.input, as: { ...as, approvalId: `${id}0` } };
  return { input: request.input, as };
};

const redeem = async (world: World, { pick, twist, crib }: Step & { kind: 'redeem' }) => {
  const record = await picked(world, pick);
  if (!record) return;
  const { input, as } = twisted(record, twist);
  const call = (n: number) => world.cribs[(n % 2) as 0 | 1].execute('wipe', input, as);
  await Promise.all(twist === 'double' ? [call(0), call(1), call(0)] : [call(crib)]);
};

const change = async ({ redefine, policyState, root }: World, what: string): Promise<void> => {
  if (what === 'definition') await redefine('Two.');
  else if (what === 'back') await redefine('One.');
  else if (what === 'policy') policyState.version = policyState.version === 'p1' ? 'p2' : 'p1';
  else if (what === 'link') {
    await unlink(join(root, 'link.txt'));
    await symlink(Math.random() < 0.5 ? 'a.txt' : 'b.txt', join(root, 'link.txt'));
  } else policyState.effect = what === 'deny' ? 'deny' : 'ask';
};

const take = async (world: World, what: Step): Promise<void> => {
  switch (what.kind) {
    case 'ask': {
      const crib = world.cribs[what.crib as 0 | 1];
      const userId = USERS[what.user];
      await crib.execute('wipe', INPUTS[what.input], { userId, sessionId: 's1' } as CallAs);
      break;
    }
    case 'decide':
      return decide(world, what.pick, what.how);
    case 'redeem':
      return redeem(world, what);
    case 'wait':
      await world.runtime.advance(what.ms);
      break;
    case 'change':
      return change(world, what.what);
  }
};

/** Each run has used up an approval of its own, given for just this call by somebody who may. */
const expectCovered = async ({ store, runs }: World): Promise<void> => {
  const used = (await store.approvals.list('used')).map((record) => ({
    input: JSON.stringify(record.edited ? record.edited.input : record.request.input),
    user: record.userId,
    session: record.sessionId,
    definition: record.request.description,
    by: record.decidedBy,
    inTime: (record.decidedAt ?? 0) < record.expiresAt,
  }));
  for (const { by, inTime } of used) {
    expect(['boss', 'signed link']).toContain(by);
    expect(inTime).toBe(true);
  }
  const left = used.map(({ by: _by, inTime: _inTime, ...facts }) => JSON.stringify(facts));
  for (const run of runs) {
    const facts = { ...run, input: JSON.stringify(run.input) };
    const { input, user, session, definition } = facts;
    const at = left.indexOf(JSON.stringify({ input, user, session, definition }));
    expect(at, `a run without an approval: ${JSON.stringify(run)}`).toBeGreaterThanOrEqual(0);
    left.splice(at, 1);
  }
};

const inWorld = async (work: (world: World) => Promise<void>): Promise<void> => {
  const root = await mkdtemp(join(tmpdir(), 'toolcrib-approval-'));
  await writeFile(join(root, 'a.txt'), 'a');
  await writeFile(join(root, 'b.txt'), 'b');
  await symlink('a.txt', join(root, 'link.txt'));
  try {
    await work({ ...(await setUp(root)), root });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

describe('P1: nothing runs without a matching, live, unused approval', () => {
  it(
    'in any sequence of asking, deciding, editing, forging, redeeming, changing and waiting',
    async () => {
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), (steps) =>
          inWorld(async (world) => {
            for (const each of steps) await take(world, each);
            await expectCovered(world);
            runs += world.runs.length;
          }),
        ),
        { numRuns: sized(100, 5000) },
      );
      // A suite in which nothing ever runs would prove nothing. The steps are random, so the number is low.
      expect(runs).toBeGreaterThan(sized(3, 500));
    },
    TIME_LIMIT,
  );

  it(
    'when all of that happens at once',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), (steps) =>
          inWorld(async (world) => {
            await take(world, { kind: 'ask', crib: 0, user: 0, input: 0 });
            await take(world, { kind: 'ask', crib: 1, user: 1, input: 1 });
            const calm = steps.filter(({ kind }) => kind !== 'change' && kind !== 'wait');
            await Promise.all(calm.map((each) => take(world, each)));
            await expectCovered(world);
          }),
        ),
        { numRuns: sized(40, 2000) },
      );
    },
    TIME_LIMIT,
  );
});
