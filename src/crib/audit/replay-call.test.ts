import { afterEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { CallReplay, ReplayAspect } from '../../contract/replay.ts';
import type { CribOptions } from '../crib-options.ts';

let open: TestCrib | undefined;
afterEach(() => open?.close());

let runs = 0;
const counted = () => {
  runs += 1;
  return 'done';
};

const crib = async (options: CribOptions = {}): Promise<TestCrib> => {
  runs = 0;
  open = await testCrib(
    [
      aTool(),
      aTool({ name: 'writer', tier: 'write', run: counted }),
      aTool({ name: 'runner', tier: 'execute', run: counted }),
      aTool({ name: 'paid', cost: { model: 'usage_based', fixed: 0.5 }, run: counted }),
      aTool({ name: 'rare', rateLimit: { maxPerHour: 1 }, run: counted }),
      aTool({
        name: 'strict',
        input: {
          type: 'object',
          properties: { password: { type: 'string', pattern: '^[a-z0-9]+$' } },
        },
      }),
    ],
    options,
  );
  return open;
};

const line = ({ lines }: CallReplay, aspect: ReplayAspect) => {
  const { before = '', now = '', verdict } = lines.find((each) => each.aspect === aspect) ?? {};
  return [before, now, verdict];
};

const all = async (replays: AsyncIterable<CallReplay>): Promise<readonly CallReplay[]> => {
  const list: CallReplay[] = [];
  for await (const replay of replays) list.push(replay);
  return list;
};

const lastId = async (real: TestCrib): Promise<string> =>
  (await real.audit.query({ kind: 'outcome', limit: 1 }))[0]?.executionId ?? '';

describe('crib.audit.replay', () => {
  it('finds a call the same while nothing has changed', async () => {
    const real = await crib();
    const { metadata } = await real.execute('writer', { path: 'x' });
    const replay = await real.audit.replay(metadata.executionId);
    expect(replay).toMatchObject({ verdict: 'same', tool: 'writer', redacted: [] });
    expect(line(replay, 'outcome')).toEqual(['ran: success', 'would run', 'same']);
    expect(line(replay, 'decision')).toEqual([
      'allow by rule tier-2-write',
      'allow by rule tier-2-write',
      'same',
    ]);
  });

  it('runs, records, counts and announces nothing', async () => {
    const real = await crib();
    const { metadata } = await real.execute('rare', {});
    await real.execute('paid', {});
    const before = await real.audit.query();
    const usage = await real.usage.summary();
    const seen: string[] = [];
    for (const name of ['call.started', 'call.finished', 'policy.shadowed'] as const) {
      real.events.on(name, () => seen.push(name));
    }
    for (let at = 0; at < 3; at += 1) await real.audit.replay(metadata.executionId);
    await real.audit.replay(await lastId(real));
    expect(await real.audit.query()).toEqual(before);
    expect(await real.usage.summary()).toEqual(usage);
    expect([seen, runs]).toEqual([[], 2]);
  });

  it('shows a limit that is used up now, and one that is free again', async () => {
    const real = await crib();
    const { metadata } = await real.execute('rare', {});
    const full = await real.audit.replay(metadata.executionId);
    expect(full.now).toMatchObject({ outcome: 'refuse', stage: 'limitRate', code: 'RATE_LIMITED' });
    expect(line(full, 'budget')).toEqual(['covered', 'not reached', 'unknown']);
    await real.execute('rare', {});
    const refused = await lastId(real);
    await real.runtime.advance(3_700_000);
    const free = await real.audit.replay(refused);
    expect(line(free, 'limits')).toEqual([
      'refused: RATE_LIMITED',
      'within the limits',
      'different',
    ]);
    expect(free.verdict).toBe('different');
  });

  it('says that a person would be asked, and what the call would cost', async () => {
    const real = await crib();
    await real.execute('runner', {});
    const asked = await real.audit.replay(await lastId(real));
    expect([asked.before.outcome, asked.now.outcome, asked.verdict]).toEqual([
      'ask',
      'ask',
      'same',
    ]);
    const { metadata } = await real.execute('paid', {});
    const paid = await real.audit.replay(metadata.executionId);
    expect(line(paid, 'cost').slice(0, 2)).toEqual(['$0.5000', '$0.5000 expected']);
  });

  it('reports gates that a refused call reached neither then nor now as the same', async () => {
    const real = await testCrib([aTool()], {
      policy: { version: 1, rules: [{ name: 'no', effect: 'deny' }] },
    });
    await real.execute('echo', {});
    const refused = await real.audit.replay(await lastId(real));
    await real.close();
    expect(line(refused, 'budget')).toEqual(['not reached', 'not reached', 'same']);
    expect(refused.verdict).toBe('same');
  });

  it('says of a call that failed that only running it shows whether it fails again', async () => {
    const failing = aTool({
      name: 'failing',
      run: () => {
        throw new ToolFailure('LOCK');
      },
    });
    const real = await testCrib([failing]);
    const { metadata } = await real.execute('failing', {});
    const { lines, notes } = await real.audit.replay(metadata.executionId);
    await real.close();
    expect(lines[0]).toMatchObject({ before: 'ended with LOCK', now: 'would run' });
    expect(notes).toContainEqual(expect.stringContaining('Whether it would fail again'));
  });

  it('shows a budget that does not cover the call any more', async () => {
    const real = await crib({ config: { budget: { dailyUsd: 0.8 } } });
    const { metadata } = await real.execute('paid', {});
    const { now } = await real.audit.replay(metadata.executionId);
    expect(now).toMatchObject({ outcome: 'refuse', stage: 'reserveBudget' });
  });

  it('says that a tool is switched off or gone, also where the input was cut', async () => {
    const real = await crib();
    await real.execute('echo', { long: 'x'.repeat(20_000) });
    const executionId = await lastId(real);
    const cut = await real.audit.replay(executionId);
    expect([cut.now.outcome, cut.verdict]).toEqual(['unknown', 'unknown']);
    expect(cut.notes[0]).toContain('only the beginning of the input');
    real.tools.setEnabled('echo', false);
    expect((await real.audit.replay(executionId)).now.code).toBe('TOOL_DISABLED');
    await real.tools.unregister('echo');
    const gone = await real.audit.replay(executionId);
    expect([gone.now.code, gone.verdict]).toEqual(['TOOL_NOT_FOUND', 'different']);
  });

  it('does not take a redacted value for one that the schema refuses', async () => {
    const real = await crib();
    const { metadata } = await real.execute('strict', { password: 'hunter2hunter2' });
    expect(metadata).toBeDefined();
    const replay = await real.audit.replay(metadata.executionId);
    expect(replay.redacted).toEqual(['/password']);
    expect(replay.now).toEqual({ outcome: 'unknown', version: '1.0.0' });
    expect(replay.notes[0]).toContain('[REDACTED]');
  });

  it('shows another version of the tool and an input that does not fit it', async () => {
    const real = await crib();
    const { metadata } = await real.execute('echo', { a: 1 });
    real.tools.register(
      aTool({
        version: '2.0.0',
        input: { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      }),
    );
    const replay = await real.audit.replay(metadata.executionId);
    expect(line(replay, 'tool')).toEqual(['echo 1.0.0', 'echo 2.0.0', 'different']);
    expect(replay.now).toMatchObject({ outcome: 'refuse', code: 'VALIDATION_ERROR' });
  });

  it('does not run the code of a precondition, and reports that', async () => {
    const real = await crib();
    let checks = 0;
    real.tools.register(
      aTool({
        name: 'guarded',
        preconditions: [
          {
            type: 'custom',
            id: 'moon',
            description: 'the moon is full',
            critical: true,
            check: () => {
              checks += 1;
              return true;
            },
          },
        ],
      }),
    );
    const { metadata } = await real.execute('guarded', {});
    const replay = await real.audit.replay(metadata.executionId);
    expect(checks).toBe(1);
    expect(replay.notes.join()).toContain('the moon is full');
  });

  it('gives a caller without the admin role neither the calls of others nor another role', async () => {
    const real = await crib();
    const { metadata } = await real.execute('echo', {}, { userId: 'ada' });
    const { executionId } = metadata;
    const mallory = { userId: 'mallory', roles: ['agent'] };
    await expect(real.audit.replay(executionId, {}, mallory)).rejects.toThrow('no call of yours');
    const ada = { userId: 'ada', roles: ['agent'] };
    expect((await real.audit.replay(executionId, {}, ada)).verdict).toBe('same');
    await expect(real.audit.replay(executionId, { roles: ['owner'] }, ada)).rejects.toThrow(
      'Only an owner or admin',
    );
    const root = { userId: 'root', roles: ['admin'] };
    expect((await real.audit.replay(executionId, {}, root)).caller.userId).toBe('ada');
    const others = await all(real.audit.replayAll({ userId: 'ada' }, mallory));
    expect(others).toEqual([]);
  });

  it('judges the caller in the roles that an owner names', async () => {
    const real = await crib({
      policy: {
        version: 1,
        rules: [
          { name: 'no-guests', effect: 'deny', callers: { roles: ['guest'] } },
          { name: 'all', effect: 'allow' },
        ],
      },
    });
    const { metadata } = await real.execute('echo', {}, { userId: 'ada' });
    const plain = await real.audit.replay(metadata.executionId);
    expect(plain.notes.join()).toContain('not on record');
    const guest = await real.audit.replay(metadata.executionId, { roles: ['guest'] });
    expect(guest.now).toMatchObject({ outcome: 'refuse', decision: 'deny' });
  });
});

describe('crib.audit.replayAll', () => {
  it('judges the newest calls of a tool, as many as the limit says', async () => {
    const real = await crib();
    for (let at = 0; at < 4; at += 1) await real.execute('writer', { at });
    await real.execute('echo', {});
    const seen = await all(real.audit.replayAll({ tool: 'writer', limit: 3 }));
    expect(seen.map(({ tool, verdict }) => `${tool} ${verdict}`)).toEqual(
      Array(3).fill('writer same'),
    );
  });
});
