/** How long a claim without an answer is looked for: until it is certain that it was not committed. */
import { describe, expect, it } from 'vitest';
import { UnansweredClaims } from './unanswered-claims.ts';

const CLAIM = { id: 'run', epoch: 2 };

/** Claims whose attempt at `CLAIM` has failed, and their clock. */
const afterFailure = async () => {
  const clock = { now: 0 };
  const claims = new UnansweredClaims({ elapsed: () => clock.now });
  const attempt = (answer: () => Promise<boolean>) =>
    claims.attempt(CLAIM, answer, (isTaken) => isTaken);
  await expect(attempt(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  return { clock, claims, attempt };
};

describe('a claim that was not answered', () => {
  it('is forgotten 30 s after the server has answered again, and not before', async () => {
    const { clock, claims } = await afterFailure();
    clock.now = 120_000;
    claims.dropVoid([], clock.now);
    claims.dropVoid([], clock.now + 29_999);
    expect(claims.ids()).toEqual(['run']);
    claims.dropVoid([], clock.now + 30_000);
    expect(claims.ids()).toEqual([]);
  });

  it('stays for as long as it is seen as committed', async () => {
    const { claims } = await afterFailure();
    for (const at of [0, 40_000, 80_000]) claims.dropVoid([CLAIM], at);
    expect(claims.has(CLAIM)).toBe(true);
  });

  it('is not judged by a read that began before it failed', async () => {
    const { clock, claims, attempt } = await afterFailure();
    clock.now = 60_000;
    await expect(attempt(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    claims.dropVoid([], 10_000);
    claims.dropVoid([], 60_000);
    expect(claims.ids()).toEqual(['run']);
  });

  it('is not looked for while it is repeated, and after that only when it was refused', async () => {
    const { claims, attempt } = await afterFailure();
    const refused = attempt(async () => false);
    expect(claims.ids()).toEqual([]);
    await refused;
    expect(claims.ids()).toEqual(['run']);
    await attempt(async () => true);
    expect(claims.ids()).toEqual([]);
  });
});
