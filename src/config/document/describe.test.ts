import { describe, expect, it } from 'vitest';
import { describeConfig } from './describe.ts';

describe('describeConfig', () => {
  it('describes every setting', () => {
    for (const { path, description, type } of describeConfig()) {
      expect(description, path).toMatch(/^\S.*\.$/);
      expect(type, path).not.toBe('');
    }
  });

  it('gives path, type, default and variable', () => {
    const rows = new Map(describeConfig().map((row) => [row.path, row]));
    expect(rows.get('execution.maxConcurrentTools')).toMatchObject({
      type: 'whole number ≥ 1',
      default: 64,
      env: 'TOOLCRIB_EXECUTION_MAX_CONCURRENT_TOOLS',
    });
    expect(rows.get('store.driver')).toMatchObject({ type: 'sqlite | memory', default: 'sqlite' });
    expect(rows.get('workspace.extraRoots')).toMatchObject({ type: 'list of text', default: [] });
    expect(rows.get('tools.<name>.cache')).toMatchObject({
      type: '{ ttlMs } | false',
      default: undefined,
      env: 'TOOLCRIB_TOOLS__<name>__CACHE',
    });
    expect(rows.get('approvals.expiresMinutes')?.type).toBe('number > 0');
  });

  it('lists every setting once', () => {
    const paths = describeConfig().map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.length).toBeGreaterThan(60);
  });
});
