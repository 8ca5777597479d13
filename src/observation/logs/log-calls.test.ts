import { afterEach, describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { aTool, type TestCrib, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { LogLevel } from '../../contract/log-level.ts';
import { Redactor } from '../../governance/redaction/redaction.ts';
import { createLogger } from './create-logger.ts';
import { type LogCallsOptions, logCalls } from './log-calls.ts';
import type { LogLine } from './log-line.ts';

let crib: TestCrib;
afterEach(() => crib.close());

const failing = aTool({
  name: 'failing',
  run: () => {
    throw new Error('private words');
  },
});

const open = async (level: LogLevel, options?: LogCallsOptions) => {
  crib = await testCrib([aTool(), failing]);
  const lines: LogLine[] = [];
  const logger = createLogger({
    level,
    redactor: new Redactor(),
    runtime: fakeRuntime(),
    sinks: [{ write: (line) => void lines.push(line) }],
  });
  return { logger, lines, stop: logCalls(crib.events, logger, options) };
};

describe('logCalls', () => {
  it('writes one line for a call, with its ids and never its arguments or result', async () => {
    const { lines } = await open('info');
    const { metadata } = await crib.execute(
      'echo',
      { text: 'private words' },
      { userId: 'ada', traceId: 'trace-1' },
    );
    expect(lines).toMatchObject([
      {
        level: 'info',
        message: 'call finished',
        fields: {
          tool: 'echo',
          status: 'success',
          ms: expect.any(Number),
          executionId: metadata.executionId,
          traceId: 'trace-1',
          callerId: 'ada',
        },
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain('private words');
  });

  it('says the code of a refused call, and keeps a made-up name of a tool on one line', async () => {
    const { lines } = await open('info');
    await crib.execute('no\nsuch', { text: 'private words' });
    expect(lines[0]?.fields).toMatchObject({ status: 'failure', code: 'TOOL_NOT_FOUND' });
    expect(JSON.stringify(lines)).not.toContain('private words');
  });

  it('writes calls that failed as warnings where that is asked for, and no others at that level', async () => {
    const { lines } = await open('warn', { reportErrors: true });
    await crib.execute('echo', {});
    await crib.execute('echo', {}, { dryRun: true });
    await crib.execute('failing', {});
    expect(lines).toMatchObject([
      { level: 'warn', message: 'call failed', fields: { tool: 'failing', status: 'failure' } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('private words');
  });

  it('writes the other calls at their own level beside them', async () => {
    const { lines } = await open('info', { reportErrors: true });
    await crib.execute('echo', {});
    await crib.execute('failing', {});
    expect(lines.map(({ level }) => level)).toEqual(['info', 'warn']);
  });

  it('listens to calls only while such lines are written', async () => {
    const { logger, lines, stop } = await open('warn');
    expect(crib.events.has('call.measured')).toBe(false);
    logger.levels.set('debug');
    await crib.execute('echo', { text: 'a' });
    expect(lines).toHaveLength(1);
    logger.levels.set('error');
    expect(crib.events.has('call.measured')).toBe(false);
    logger.levels.set('info');
    stop();
    expect(crib.events.has('call.measured')).toBe(false);
  });
});
