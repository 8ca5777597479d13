import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { LoopBreaker } from './loop-breaker.ts';

const agent = { ...LOCAL_CALLER, agentId: 'bot', sessionId: 's1' };
const breaker = () => new LoopBreaker({ identicalCalls: 3, windowMs: 1000 });
const read = (path: string) => ({ tool: 'read', input: { path } });

describe('the loop breaker', () => {
  it('allows the same call up to its limit, and refuses it afterwards', () => {
    const loops = breaker();
    const answers = [1, 2, 3, 4, 5].map(() => loops.admits(agent, read('a'), 0));
    expect(answers).toEqual([true, true, true, false, false]);
  });

  it('finds a loop of calls in turn', () => {
    const loops = breaker();
    const turn = () => ['a', 'b', 'c'].map((path) => loops.admits(agent, read(path), 0));
    expect([turn(), turn(), turn()].flat()).not.toContain(false);
    expect(turn()).toEqual([false, false, false]);
  });

  it('allows different calls, however many there are', () => {
    const loops = breaker();
    const answers = Array.from({ length: 500 }, (_, n) => loops.admits(agent, read(`${n}`), 0));
    expect(answers).not.toContain(false);
  });

  it('finds a call that is repeated among others that never are', () => {
    const loops = breaker();
    let n = 0;
    const answers = [1, 2, 3, 4, 5].map(() => {
      for (let other = 0; other < 40; other++) loops.admits(agent, read(`${n++}`), 0);
      return loops.admits(agent, read('a'), 0);
    });
    expect(answers).toEqual([true, true, true, false, false]);
  });

  it('finds a loop of as many calls in turn as it keeps, and none that is longer', () => {
    const turns = (length: number) => {
      const loops = breaker();
      const names = Array.from({ length }, (_, n) => `${n}`);
      const turn = () => names.map((path) => loops.admits(agent, read(path), 0));
      return [turn(), turn(), turn(), turn()].flat();
    };
    expect(turns(64)).toContain(false);
    expect(turns(65)).not.toContain(false);
  });

  it('counts all names that one authenticated caller gives itself together', () => {
    const loops = breaker();
    const authenticated = { userId: 'token:x', agentId: 'token:x', sessionId: 'token:1' };
    const named = (name: string) => ({
      ...LOCAL_CALLER,
      userId: 'token:x',
      agentId: name,
      sessionId: name,
      authenticated,
    });
    const answers = ['a', 'b', 'local', 'c'].map((name) => loops.admits(named(name), read('a'), 0));
    expect(answers).toEqual([true, true, true, false]);
    const other = { ...named('a'), authenticated: { ...authenticated, userId: 'token:y' } };
    expect(loops.admits(other, read('a'), 0)).toBe(true);
  });

  it('forgets after a while', () => {
    const loops = breaker();
    for (const at of [0, 1, 2, 3]) loops.admits(agent, read('a'), at);
    expect(loops.admits(agent, read('a'), 999)).toBe(false);
    expect(loops.admits(agent, read('a'), 1000)).toBe(true);
    expect(loops.admits(agent, read('a'), 1001)).toBe(true);
  });

  it.each([
    ['user', { userId: 'other' }],
    ['agent', { agentId: 'other' }],
    ['session', { sessionId: 'other' }],
  ])('counts each %s by itself', (_name, other) => {
    const loops = breaker();
    for (let n = 0; n < 4; n++) loops.admits(agent, read('a'), 0);
    expect(loops.admits({ ...agent, ...other }, read('a'), 0)).toBe(true);
  });

  it('tells long inputs apart, and tools with the same input', () => {
    const loops = breaker();
    const long = 'x'.repeat(10_000);
    for (let n = 0; n < 4; n++) loops.admits(agent, read(`${long}a`), 0);
    expect(loops.admits(agent, read(`${long}a`), 0)).toBe(false);
    expect(loops.admits(agent, read(`${long}b`), 0)).toBe(true);
    expect(loops.admits(agent, { tool: 'write', input: { path: `${long}a` } }, 0)).toBe(true);
    expect(loops.admits(agent, { tool: 'none', input: undefined }, 0)).toBe(true);
  });

  it('leaves the loops of a program alone', () => {
    const loops = breaker();
    for (let n = 0; n < 50; n++) expect(loops.admits(LOCAL_CALLER, read('a'), 0)).toBe(true);
  });
});
