import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { LogLevel } from '../../contract/log-level.ts';
import { createLogger } from './create-logger.ts';
import type { LogLine, LogSink } from './log-line.ts';

const PLAIN = { text: (value: string) => value, record: (value: unknown) => value };

const open = (level: LogLevel, ...more: readonly LogSink[]) => {
  const runtime = fakeRuntime();
  const lines: LogLine[] = [];
  const sinks = [{ write: (line: LogLine) => void lines.push(line) }, ...more];
  const logger = createLogger({ level, sinks, redactor: PLAIN, runtime });
  return { ...logger, runtime, messages: () => lines.map(({ message }) => message) };
};

const writeAll = ({ log }: ReturnType<typeof open>): void => {
  log.debug('d');
  log.info('i');
  log.warn('w');
  log.error('e');
};

describe('createLogger', () => {
  it.each([
    ['debug', ['d', 'i', 'w', 'e']],
    ['info', ['i', 'w', 'e']],
    ['warn', ['w', 'e']],
    ['error', ['e']],
    ['silent', []],
  ] as const)('at level %s it writes %j', (level, expected) => {
    const logger = open(level);
    writeAll(logger);
    expect(logger.messages()).toEqual(expected);
  });

  it('a level that was set for a while goes back by itself', async () => {
    const logger = open('warn');
    const state = logger.levels.set('debug', 600_000);
    expect(state).toEqual({
      level: 'debug',
      configured: 'warn',
      until: logger.runtime.now() + 600_000,
    });
    await logger.runtime.advance(599_999);
    logger.log.debug('still');
    await logger.runtime.advance(1);
    logger.log.debug('over');
    expect(logger.messages()).toEqual(['still']);
    expect(logger.levels.state()).toEqual({ level: 'warn', configured: 'warn' });
  });

  it('a second change replaces the time of the first', async () => {
    const logger = open('warn');
    logger.levels.set('debug', 1_000);
    logger.levels.set('info');
    await logger.runtime.advance(5_000);
    expect(logger.levels.state()).toEqual({ level: 'info', configured: 'warn' });
    expect(logger.runtime.pendingTimers).toBe(0);
  });

  it('a sink that fails neither stops the others nor the caller, and is reported once', () => {
    let isBroken = true;
    const failing: LogSink = {
      write: () => {
        if (isBroken) throw new Error('no space left');
      },
    };
    const logger = open('warn', failing);
    logger.log.warn('one');
    logger.log.warn('two');
    isBroken = false;
    logger.log.warn('three');
    isBroken = true;
    logger.log.warn('four');
    const report = 'The log cannot be written to one of its places.';
    expect(logger.messages()).toEqual(['one', report, 'two', 'three', 'four', report]);
  });

  it('a log whose only sink fails does not throw', () => {
    const { log } = createLogger({
      level: 'warn',
      redactor: PLAIN,
      runtime: fakeRuntime(),
      sinks: [
        {
          write: () => {
            throw new Error('gone');
          },
        },
      ],
    });
    expect(() => log.error('x')).not.toThrow();
  });
});
