import { describe, expect, it } from 'vitest';
import type { NewJob } from '../../contract/queue.ts';
import { GroupedAdds } from './grouped-adds.ts';

const job = (id: string): NewJob => ({ id }) as NewJob;

describe('adding jobs to Redis in groups', () => {
  it('makes few transactions for many requests, and answers each with its own', async () => {
    const sizes: number[] = [];
    const adds = new GroupedAdds(async (jobs) => {
      sizes.push(jobs.length);
      await Promise.resolve();
      return jobs.map(({ id }) => Number(id) % 2 === 0);
    });
    const requests = Array.from({ length: 1000 }, (_, n) => adds.add([job(String(n))]));
    const answers = await Promise.all(requests);
    expect(answers).toEqual(answers.map((_, n) => [n % 2 === 0]));
    expect(sizes.length).toBeLessThanOrEqual(6);
    expect(Math.max(...sizes)).toBe(256);
  });

  it('rejects the requests of a failed transaction, and goes on with the next', async () => {
    let isAway = true;
    const adds = new GroupedAdds(async (jobs) => {
      if (isAway) throw new Error('away');
      return jobs.map(() => true);
    });
    const failed = await Promise.allSettled([adds.add([job('1')]), adds.add([job('2')])]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    expect(await adds.add([job('3'), job('4')])).toEqual([true, true]);
  });
});
