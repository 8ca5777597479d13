import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { defaultSettings } from '../../config/default-settings.ts';
import type { Config } from '../../config/schema.ts';
import { Redactor } from '../../governance/redaction/redaction.ts';
import { openCommandLog } from './command-log.ts';

interface Opening {
  readonly service?: 'serve' | 'worker' | 'mcp';
  readonly stays?: boolean;
  readonly isTTY?: boolean;
  readonly settings?: Partial<Config['observation']>;
}

const open = async ({ service, stays = false, isTTY = false, settings }: Opening = {}) => {
  const redactor = new Redactor();
  let loads = 0;
  const { io, err, out } = fakeIo({ noteInk: pc.createColors(isTTY) });
  Object.assign(io.stderr, { isTTY });
  const defaults = defaultSettings();
  const config = { ...defaults, observation: { ...defaults.observation, ...settings } };
  const logging = await openCommandLog(io, {
    loaded: { config, userDir: '/nowhere' },
    redactor: async () => {
      loads += 1;
      return redactor;
    },
    service,
    stays,
  });
  return { ...logging, err, out, redactor, loads: () => loads };
};

const failAgain = ({ log }: Awaited<ReturnType<typeof open>>): void => {
  for (const server of ['a', 'a', 'b', 'a']) log.warn('An MCP server failed', { server });
};

describe('the log of a command', () => {
  it('says each line once where a server fails again and again during one command', async () => {
    const opened = await open();
    failAgain(opened);
    const lines = 'warn: An MCP server failed server=a\nwarn: An MCP server failed server=b\n';
    await eventually(() => expect(opened.err()).toBe(lines));
  });

  it('benign: a command that stays says it every time', async () => {
    const opened = await open({ stays: true });
    failAgain(opened);
    await eventually(() => expect(opened.err().match(/failed/g)).toHaveLength(4));
  });

  it('a short command without a line loads neither the log nor the redactor', async () => {
    const opened = await open();
    opened.log.debug('quiet');
    await new Promise((resolve) => setImmediate(resolve));
    expect([opened.loads(), opened.err()]).toEqual([0, '']);
  });

  it('the first line of a short command is redacted although the redactor was not loaded', async () => {
    const opened = await open();
    opened.redactor.learn('canary-55aa77cc');
    opened.log.error('bad', { error: new Error('with canary-55aa77cc') });
    await eventually(() => expect(opened.err()).toContain('[REDACTED]'));
    expect(opened.err()).not.toContain('canary-55aa77cc');
  });

  it.each(['serve', 'worker', 'mcp'] as const)(
    '%s writes JSON to stderr where that is no terminal, and nothing to stdout',
    async (service) => {
      const { log, err, out } = await open({ service });
      log.warn('late', { server: 'a' });
      expect(JSON.parse(err())).toMatchObject({
        level: 'warn',
        process: service,
        pid: process.pid,
        server: 'a',
        msg: 'late',
      });
      expect(out()).toBe('');
    },
  );

  it('serve writes coloured lines for a person on a terminal', async () => {
    const { log, err } = await open({ service: 'serve', isTTY: true });
    log.warn('late', { server: 'a' });
    expect(err()).toMatch(/\d\d:\d\d:\d\d\.\d{3}/);
    expect(err()).toContain(` ${pc.createColors(true).yellow('warn:')} late`);
  });

  it.each([
    ['json', true],
    ['pretty', false],
  ] as const)(
    'observation.logFormat %s holds also where auto chooses otherwise',
    async (logFormat, isTTY) => {
      const { log, err } = await open({ service: 'serve', isTTY, settings: { logFormat } });
      log.error('x');
      expect(err().startsWith('{')).toBe(logFormat === 'json');
    },
  );

  it('a file that cannot be written stops the start with a coded error', async () => {
    const settings = { logFile: '/dev/null/log' };
    await expect(open({ service: 'serve', settings })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});
