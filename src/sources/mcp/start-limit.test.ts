import { describe, expect, it } from 'vitest';
import type { ServerSettings } from './server-settings.ts';
import { isInstaller, startLimit } from './start-limit.ts';

const settings = (line: string, more: Partial<ServerSettings> = {}): ServerSettings => {
  const [command = '', ...args] = line.split(' ');
  const limits = { startTimeoutMs: 10_000, firstStartTimeoutMs: 60_000 };
  return { transport: 'stdio', command, args, ...limits, ...more } as ServerSettings;
};

describe('the limit of a start', () => {
  it.each([
    'npx -y @scope/server',
    '/usr/bin/npx -y x',
    'C:/node/npx.cmd -y x',
    'uvx server',
    'pnpm dlx server',
    'npm exec server',
    'env A=b npx -y x',
    'docker run -i image',
  ])('leaves time to install: %s', (line) => {
    expect(isInstaller(settings(line))).toBe(true);
    expect(startLimit(settings(line), false)).toBe(600_000);
    expect(startLimit(settings(line), true)).toBe(10_000);
  });

  it.each(['node server.js', 'npm start', 'python -m server', './npx-like'])(
    'is a minute for the first start of %s, and as configured for the next',
    (line) => {
      expect(startLimit(settings(line), false)).toBe(60_000);
      expect(startLimit(settings(line), true)).toBe(10_000);
    },
  );

  it('is as configured where no first start is told apart', () => {
    const { firstStartTimeoutMs: _, ...rest } = settings('npx x');
    expect(startLimit(rest as ServerSettings, false)).toBe(10_000);
    expect(isInstaller(settings('npx x', { transport: 'http' }))).toBe(false);
  });
});
