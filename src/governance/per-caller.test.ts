import { expect, it } from 'vitest';
import { perCaller } from './per-caller.ts';

const ann = { userId: 'ann', agentId: 'a', sessionId: '1' };

it('perCaller computes a text again only for another caller', () => {
  const made: string[] = [];
  const of = perCaller(({ userId, agentId, sessionId }) => {
    made.push(userId);
    return `${userId} ${agentId} ${sessionId}`;
  });
  expect([of(ann), of({ ...ann }), of(ann)]).toEqual(['ann a 1', 'ann a 1', 'ann a 1']);
  expect(made).toHaveLength(1);
});

it.each(['userId', 'agentId', 'sessionId'] as const)(
  'perCaller tells callers apart by %s',
  (name) => {
    const of = perCaller((caller) => caller[name]);
    expect([of(ann), of({ ...ann, [name]: 'x' }), of(ann)]).toEqual([ann[name], 'x', ann[name]]);
  },
);
