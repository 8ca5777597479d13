import { describe, expect, it } from 'vitest';
import { MacSeals } from './mac-seals.ts';

const open = (key: number) => {
  const warnings: unknown[] = [];
  const seals = new MacSeals(new Uint8Array(32).fill(key), {
    warn: (_message, fields) => void warnings.push(fields),
  });
  return { seals, warnings };
};
const TEXT = 'toolcrib step 1\n{"key":"1","value":7}';

describe('a seal of a derived key', () => {
  it('fits the text that was sealed, and only that', () => {
    const { seals, warnings } = open(1);
    const seal = seals.seal(TEXT);
    expect(MacSeals.isMac(seal)).toBe(true);
    expect(seals.isOurs(TEXT, seal)).toBe(true);
    expect(warnings).toEqual([]);
    expect(seals.isOurs(TEXT.replace('7', '8'), seal)).toBe(false);
  });

  it.each([
    ['a missing seal', undefined],
    ['a seal of another key', open(2).seals.seal(TEXT)],
    ['a signature', 'AAAA'],
    ['a seal that was cut', 'mac1:AAAA'],
    ['an empty seal', 'mac1:'],
  ])('threat: is refused for %s, and reported once for each kind of row', (_, seal) => {
    const { seals, warnings } = open(1);
    expect([seals.isOurs(TEXT, seal), seals.isOurs(`${TEXT} `, seal)]).toEqual([false, false]);
    expect(seals.isOurs('toolcrib event 1\n{}', seal)).toBe(false);
    expect(warnings).toEqual([{ kind: 'toolcrib step 1' }, { kind: 'toolcrib event 1' }]);
  });
});
