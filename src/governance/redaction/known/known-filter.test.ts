import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownFilter } from './known-filter.ts';

const filterOf = (...forms: readonly string[]): KnownFilter => {
  const filter = new KnownFilter();
  for (const form of forms) filter.add(form);
  return filter;
};

const hits = (filter: KnownFilter, text: string): number => filter.candidates(text, 0).length;

describe('the filter of known values', () => {
  it('never rules out a text that holds one, whatever stands around it', () => {
    const letters = fc.string({ minLength: 6, maxLength: 60, unit: 'grapheme' });
    fc.assert(
      fc.property(letters, fc.string(), fc.string(), (form, before, after) => {
        const filter = new KnownFilter();
        fc.pre(filter.add(form));
        expect(filter.candidates(`${before} ${form} ${after}`, 1).length).toBeGreaterThan(0);
      }),
    );
  });

  it.each(['CANARY-4711', 'c a n a r y 4 7 1 1', 'can\n  ary47\r\n11', 'ｃａｎａｒｙ４７１１'])(
    'sees canary4711 written as %j',
    (text) => {
      expect(filterOf('canary4711').candidates(text, 1)).toHaveLength(1);
    },
  );

  it('refuses a value with fewer than five letters and digits', () => {
    expect(new KnownFilter().add('a!b@c#d$')).toBe(false);
  });

  it('looks for the rarest part of a value, so that words of it do not hit', () => {
    const filter = filterOf('postgres://admin:x9k2q7@host/database');
    expect(hits(filter, 'postgres admin host database '.repeat(100))).toBe(0);
  });

  it('gives the surroundings of a hit, and joins those that overlap', () => {
    const filter = filterOf('x9k2q7');
    const text = `${'- '.repeat(50)}x9k2q7${'- '.repeat(50)}x9k2q7`;
    expect(filter.candidates(text, 10)).toHaveLength(2);
    expect(filter.candidates(text, 200)).toEqual([{ from: 0, to: text.length }]);
  });

  it('holds thousands of values', () => {
    const forms = Array.from({ length: 5000 }, (_, at) => `value-${at * 7919}-${at}`);
    const filter = filterOf(...forms);
    for (const form of forms) expect(filter.candidates(form, 1)).toHaveLength(1);
  });
});
