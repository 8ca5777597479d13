import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';

describe('inspect', () => {
  it('refuses what looks like an attack, with a remedy, before anything runs', async () => {
    let ran = 0;
    const crib = await testCrib([aTool({ category: 'filesystem', run: () => ++ran })]);
    const result = await crib.execute('echo', { path: '../../etc/passwd' });
    expect(result.status).toBe('denied');
    expect(result.error?.code).toBe('SECURITY_VIOLATION');
    expect(result.error?.suggestions[0]).toContain('relative to the workspace root');
    expect(ran).toBe(0);
  });

  it('lets ordinary input pass', async () => {
    const crib = await testCrib([aTool({ category: 'filesystem' })]);
    expect((await crib.execute('echo', { path: 'a/b.txt', content: '../..' })).success).toBe(true);
  });
});
