/** Owners: whose claims are under way, whose are in doubt, near and far. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Runtime } from '../../contract/runtime.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { migrate } from '../../stores/sqlite/database/migrate.ts';
import { CommitSync } from './commit-sync.ts';
import { type Database, openDatabase } from './open-database.ts';
import { Owner } from './owner.ts';
import { identifyProcess, type ProcessIdentity } from './process-identity.ts';
import { Writer } from './writer.ts';

const HERE = identifyProcess();
const FAR = { place: 'another machine', pid: HERE.pid, started: HERE.started };

interface Pending {
  readonly at: number;
  readonly callback: () => void;
  keptAlive: boolean;
  cancelled: boolean;
}

let database: Database;
let now = 0;
/** How far the time of day was stepped. */
let stepped = 0;
let timers: Pending[] = [];

const runtime: Runtime = createRuntime({
  now: () => now + stepped,
  elapsed: () => now,
  after: (ms, callback) => {
    const timer: Pending = { at: now + ms, callback, keptAlive: true, cancelled: false };
    timers.push(timer);
    return {
      cancel: () => {
        timer.cancelled = true;
      },
      keepAlive: (on) => {
        timer.keptAlive = on;
      },
    };
  },
});

const makeOwner = (identity: ProcessIdentity) => {
  const writer = new Writer({
    database,
    runtime,
    sync: new CommitSync({ database, runtime }),
    lockTimeoutMs: 100,
  });
  return { writer, owner: new Owner({ database, runtime, writer, identity }) };
};

/** Lets time pass for everybody whose timer is due. */
const pass = async (ms: number): Promise<void> => {
  now += ms;
  const due = timers.filter(({ at, cancelled }) => at <= now && !cancelled);
  timers = timers.filter((timer) => !due.includes(timer));
  for (const { callback } of due) callback();
  await new Promise((done) => setImmediate(() => setImmediate(done)));
};

const rows = (): unknown[] => database.prepare('SELECT id FROM owners').all();

beforeEach(async () => {
  database = await openDatabase(':memory:');
  migrate(database);
  now = 1_000_000;
  stepped = 0;
  timers = [];
});
afterEach(() => database.close());

describe('owner', () => {
  it('is on record from its first claim on, once', async () => {
    const { owner, writer } = makeOwner(HERE);
    expect(rows()).toEqual([]);
    await writer.write(() => owner.claim());
    await writer.write(() => owner.claim());
    expect(rows()).toHaveLength(1);
    expect(timers).toMatchObject([{ keptAlive: false }]);
  });

  it('is on record after a first claim that was rolled back and a second that was not', async () => {
    const { owner, writer } = makeOwner(HERE);
    const failed = writer.write(() => {
      owner.claim();
      throw new RangeError('no');
    });
    await expect(failed).rejects.toThrow(RangeError);
    expect(rows()).toEqual([]);
    await writer.write(() => owner.claim());
    expect(rows()).toHaveLength(1);
  });

  it('lives as long as its process, in the same place', async () => {
    const [a, b] = [makeOwner(HERE), makeOwner(HERE)];
    await a.writer.write(() => a.owner.claim());
    await pass(1_000_000);
    expect(b.owner.aliveness()(a.owner.id)).toBe(true);
    expect(b.owner.aliveness()('unheard of')).toBe(false);
    expect(b.owner.aliveness()(b.owner.id)).toBe(true);
  });

  it('is dead at once when the pid belongs to another process now', async () => {
    const old = makeOwner({ ...HERE, started: '1' });
    await old.writer.write(() => old.owner.claim());
    expect(makeOwner(HERE).owner.aliveness()(old.owner.id)).toBe(false);
  });

  it('has ended for certain when its process is gone, not when it is silent or far away', async () => {
    const [here, dead] = [makeOwner(HERE), makeOwner({ ...HERE, started: '1' })];
    const far = makeOwner({ ...FAR, started: '1' });
    for (const { owner, writer } of [here, dead, far]) await writer.write(() => owner.claim());
    now += 1_000_000;
    const { owner } = makeOwner(HERE);
    expect(owner.aliveness()(far.owner.id)).toBe(false);
    const ended = [here, dead, far].map((each) => owner.hasEnded(each.owner.id));
    expect(ended).toEqual([false, true, false]);
    expect(owner.hasEnded('unheard of')).toBe(false);
  });

  it('lives by its heartbeat in another place, and dies 30 s after the last', async () => {
    const far = makeOwner(FAR);
    const here = makeOwner(HERE);
    await far.writer.write(() => far.owner.claim());
    for (let beats = 0; beats < 12; beats++) await pass(10_000);
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
    timers = [];
    await pass(29_999);
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
    await pass(1);
    expect(here.owner.aliveness()(far.owner.id)).toBe(false);
  });

  it('shows that it lives with its next claim when its heartbeat is late', async () => {
    const far = makeOwner(FAR);
    const here = makeOwner(HERE);
    await far.writer.write(() => far.owner.claim());
    timers = [];
    await pass(31_000);
    expect(here.owner.aliveness()(far.owner.id)).toBe(false);
    await far.writer.write(() => far.owner.claim());
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
  });

  it('is not dead because the time of day was stepped, only when it stays silent afterwards', async () => {
    const far = makeOwner(FAR);
    const here = makeOwner(HERE);
    await far.writer.write(() => far.owner.claim());
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
    stepped = 8 * 3_600_000;
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
    for (let beats = 0; beats < 4; beats++) await pass(10_000);
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
    timers = [];
    stepped += 60_000;
    await pass(29_000);
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
    await pass(29_999);
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
    await pass(1);
    expect(here.owner.aliveness()(far.owner.id)).toBe(false);
  });

  it('comes back when it was only frozen', async () => {
    const far = makeOwner(FAR);
    const here = makeOwner(HERE);
    await far.writer.write(() => far.owner.claim());
    now += 60_000;
    await here.writer.write(() => here.owner.claim());
    expect(here.owner.aliveness()(far.owner.id)).toBe(false);
    await pass(0);
    expect(here.owner.aliveness()(far.owner.id)).toBe(true);
  });

  it('sweeps dead owners when it registers', async () => {
    const dead = makeOwner({ ...HERE, started: '1' });
    await dead.writer.write(() => dead.owner.claim());
    const { owner, writer } = makeOwner(HERE);
    await writer.write(() => owner.claim());
    expect(rows()).toEqual([{ id: owner.id }]);
  });

  it('stays on record after its end while it has calls in doubt', async () => {
    const dead = makeOwner({ ...HERE, started: '1' });
    await dead.writer.write(() =>
      database.prepare('INSERT INTO intents VALUES (?, ?, ?)').run('e', 1, dead.owner.claim()),
    );
    const { owner, writer } = makeOwner(HERE);
    await writer.write(() => owner.claim());
    expect(owner.hasEnded(dead.owner.id)).toBe(true);
  });

  it('is gone when it retires, with its heartbeat', async () => {
    const { owner, writer } = makeOwner(HERE);
    await writer.write(() => owner.claim());
    await writer.close(() => owner.retire());
    expect(rows()).toEqual([]);
    expect(timers.every(({ cancelled }) => cancelled)).toBe(true);
  });
});
