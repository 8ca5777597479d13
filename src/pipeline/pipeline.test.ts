import { describe, expect, it } from 'vitest';
import { start } from './pipeline.ts';

describe('the rest of the pipeline', () => {
  it('rejects with what it throws at once, so that nobody has to look in two places', async () => {
    const broken = new Error('at once');
    const next = () => {
      throw broken;
    };
    await expect(start({}, next)).rejects.toBe(broken);
  });

  it('rejects with what it throws later', async () => {
    const broken = new Error('later');
    await expect(start({}, () => Promise.reject(broken))).rejects.toBe(broken);
  });
});
