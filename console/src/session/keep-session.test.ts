import { describe, expect, it } from 'vitest';
import type { Session } from '../api/call-records.ts';
import { keepSession, type SessionState } from './keep-session.ts';

const ADA: Session = { user: 'ada', role: 'admin', csrf: 'c1', expiresAt: 1 };

/** A browser whose cookie stands for `present`; nobody when undefined. */
const tab = () => {
  let state: SessionState = { is: 'unknown' };
  let present: Session | undefined = ADA;
  const kept = keepSession(
    async () => new Response(JSON.stringify(present ?? {}), { status: present ? 200 : 401 }),
    (next) => {
      state = typeof next === 'function' ? next(state) : next;
    },
  );
  kept.enter(ADA);
  const follow = (session: Session | undefined): Promise<boolean> => {
    present = session;
    return kept.follow();
  };
  return { kept, follow, state: () => state };
};

describe('the session of a tab', () => {
  it('stays what it is when nothing changed', async () => {
    const { follow, state } = tab();
    expect(await follow(ADA)).toBe(false);
    expect(state()).toEqual({ is: 'in', session: ADA });
  });

  it('takes over the proof of the same person in the same role', async () => {
    const { follow, state } = tab();
    const again = { ...ADA, csrf: 'c2' };
    expect(await follow(again)).toBe(true);
    expect(state()).toEqual({ is: 'in', session: again });
  });

  it.each([
    ['another person', { user: 'vera' }],
    ['another role', { role: 'viewer' as const }],
  ])('is not continued by %s', async (_, over) => {
    const { follow, state } = tab();
    const other = { ...ADA, csrf: 'c2', ...over };
    expect(await follow(other)).toBe(false);
    expect(state()).toEqual({ is: 'other', was: ADA, session: other });
    const third = { ...ADA, csrf: 'c3', user: 'otto' };
    await follow(third);
    expect(state()).toEqual({ is: 'other', was: ADA, session: third });
    expect(await follow({ ...ADA, csrf: 'c4' })).toBe(true);
    expect(state()).toMatchObject({ is: 'in', session: { user: 'ada', csrf: 'c4' } });
  });

  it('is over when the browser holds none any more', async () => {
    const { follow, state } = tab();
    await follow({ ...ADA, csrf: 'c2', user: 'vera' });
    expect(await follow(undefined)).toBe(false);
    expect(state()).toEqual({ is: 'out', why: 'ended' });
  });

  it('who signed out stays so, whatever a look that was under way finds', async () => {
    const { kept, follow, state } = tab();
    const looking = follow({ ...ADA, csrf: 'c2' });
    kept.leave();
    expect(await looking).toBe(false);
    expect(state()).toEqual({ is: 'out', why: 'left' });
  });
});
