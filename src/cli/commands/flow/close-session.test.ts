import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { closeSession } from './close-session.ts';

const cribWith = (running: readonly object[]) => {
  let end: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const crib = { executions: { running: async () => running }, close: () => closed };
  return { crib: crib as unknown as CribHost, end };
};

const WRITE = { tool: 'write_file', tier: 'write', isHere: true };
const READ = { tool: 'read_file', tier: 'read_only', isHere: true };
const ELSEWHERE = { ...WRITE, tool: 'other', isHere: false };

describe('a command that leaves its run', () => {
  it('names the calls that it waits for, and says how to cut them off', async () => {
    const { io, err } = fakeIo();
    const { crib, end } = cribWith([WRITE, READ, ELSEWHERE]);
    const closed = closeSession(io, crib);
    await expect.poll(err).toContain('Waiting for write_file to end, 10 s at most; Ctrl-C again');
    expect(err()).not.toMatch(/read_file|other|MCP/);
    end();
    await closed;
    expect(io.signals).toMatchObject({ _eventsCount: 0 });
  });

  it('says that the effect is in doubt when a second Ctrl-C ends it at once', async () => {
    const exits: unknown[] = [];
    const { io, err } = fakeIo();
    Object.assign(io.signals, { exit: (code: unknown) => exits.push(code) });
    const { crib, end } = cribWith([WRITE]);
    const closed = closeSession(io, crib);
    await expect.poll(err).toContain('Ctrl-C again');
    (io.signals as NodeJS.Process).emit('SIGINT');
    await expect.poll(() => exits).toEqual([4]);
    expect(err()).toContain('nobody knows whether write_file took effect');
    end();
    await closed;
  });

  it('says nothing when no call is under way', async () => {
    const { io, err } = fakeIo();
    const { crib, end } = cribWith([READ]);
    end();
    await closeSession(io, crib);
    expect(err()).toBe('');
  });
});
