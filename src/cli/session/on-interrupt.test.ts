import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import type { Io } from '../io.ts';
import { onInterrupt } from './on-interrupt.ts';

describe('onInterrupt', () => {
  it('cancels on the first signal, exits on the second, and stops listening on release', () => {
    const exits: unknown[] = [];
    const signals = Object.assign(new EventEmitter(), {
      exit: (code: unknown) => exits.push(code),
    });
    let cancelled = 0;
    const release = onInterrupt(fakeIo({ signals: signals as unknown as Io['signals'] }).io, () => {
      cancelled += 1;
    });
    signals.emit('SIGINT');
    expect([cancelled, exits]).toEqual([1, []]);
    signals.emit('SIGINT');
    expect(exits).toEqual([4]);
    release();
    expect(signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM')).toBe(0);
  });
});
