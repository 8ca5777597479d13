import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { DryRunReport } from '../../contract/crib.ts';

const FILES = { needs: { paths: [{ path: '.', access: 'read' }] } } as const;

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

  it('says where, never what, and the trail says it too', async () => {
    const crib = await testCrib([aTool({ category: 'filesystem' })]);
    const result = await crib.execute('echo', { files: [{ path: '../canary-value' }] });
    expect(result.error?.message).toContain('path_traversal (high) at /files/0/path');
    expect(JSON.stringify(result)).not.toContain('canary-value');
    const [row] = await crib.audit.query({ limit: 1 });
    expect(row?.code).toBe('SECURITY_VIOLATION');
    expect(row?.detail.inspected).toEqual([expect.stringContaining('/files/0/path')]);
  });

  it('lets ordinary input pass, with nothing on record', async () => {
    const crib = await testCrib([aTool({ category: 'filesystem' })]);
    expect((await crib.execute('echo', { path: 'a/b.txt', content: '../..' })).success).toBe(true);
    const [row] = await crib.audit.query({ limit: 1 });
    expect(row?.detail).not.toHaveProperty('inspected');
  });

  it('notes what is merely odd: in dry runs and in the trail', async () => {
    const crib = await testCrib([aTool()]);
    const input = { html: '<script>1</script>' };
    const dry = await crib.execute('echo', input, { dryRun: true });
    expect((dry.data as DryRunReport).inspected).toEqual([
      expect.stringMatching(/^injection \(low\) at \/html: /),
    ]);
    const done = await crib.execute('echo', input);
    expect(done.data).toEqual(input);
    const [row] = await crib.audit.query({ limit: 1 });
    expect(row?.detail.inspected).toHaveLength(1);
  });

  it('notes an odd value at the root of the input', async () => {
    const crib = await testCrib([aTool({ input: { type: 'string' } })]);
    const dry = await crib.execute('echo', '<script>1</script>', { dryRun: true });
    expect((dry.data as DryRunReport).inspected[0]).toContain('at /: ');
  });

  it('flags nothing when the configuration turns it off', async () => {
    const crib = await testCrib([aTool()], { config: { validation: { sanitize: 'off' } } });
    const dry = await crib.execute('echo', { html: '<script>1</script>' }, { dryRun: true });
    expect((dry.data as DryRunReport).inspected).toEqual([]);
  });

  it('uses the roots of the workspace', async () => {
    const crib = await testCrib([aTool(FILES)], { root: process.cwd() });
    const inside = await crib.execute('echo', { path: `${process.cwd()}/package.json` });
    expect(inside.success).toBe(true);
    const outside = await crib.execute('echo', { path: `${process.cwd()}-other/x` });
    expect(outside.error?.code).toBe('SECURITY_VIOLATION');
  });

  it('refuses a URL that carries a secret that a tool was handed', async () => {
    const secret = 'c0rrect-horse-battery';
    const tools = [
      aTool({
        name: 'holder',
        needs: { secrets: ['KEY'] },
        run: async (_input: unknown, context: { secret(key: string): Promise<string> }) =>
          (await context.secret('KEY')).length,
      } as never),
      aTool({ needs: { hosts: ['a.example'] } }),
    ];
    const secrets = { label: 'test', get: async () => secret } as never;
    const crib = await testCrib(tools, { secrets });
    const url = `https://a.example/?q=${secret}`;
    expect((await crib.execute('holder', {})).data).toBe(secret.length);
    expect((await crib.execute('echo', { url })).error?.code).toBe('SECURITY_VIOLATION');
    expect((await crib.execute('echo', { url: 'https://a.example/?q=x' })).success).toBe(true);
  });
});
