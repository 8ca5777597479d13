import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  visibleBlock,
  visibleItem,
  visibleJson,
  visibleLines,
  visibleText,
} from './visible-text.ts';

const ESC = '\u001b';

/** Everything a terminal or a font would act upon, drop or reorder. */
const DANGEROUS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs}/u;

describe('what the approver sees: every hostile class is written out', () => {
  it.each([
    ['an ANSI colour', `${ESC}[31mred`, '␛[31mred'],
    ['an ANSI line eraser', `safe${ESC}[2K${ESC}[1Gevil`, 'safe␛[2K␛[1Gevil'],
    ['an OSC title', `${ESC}]0;title\u0007`, '␛]0;title␇'],
    ['a carriage return', 'rm -rf /\rls', 'rm -rf /␍ls'],
    ['a backspace', 'ls\b\brm', 'ls␈␈rm'],
    ['a NUL', 'a\0b', 'a␀b'],
    ['DEL', 'a\u007fb', 'a␡b'],
    ['a C1 control sequence introducer', '\u009b31m', '\\u009b31m'],
    ['a C1 next line', 'a\u0085b', 'a\\u0085b'],
    ['a bidi override', 'a\u202eb', 'a\\u202eb'],
    ['a bidi isolate', '\u2066a\u2069', '\\u2066a\\u2069'],
    ['an Arabic letter mark', 'a\u061cb', 'a\\u061cb'],
    ['a zero-width space', 'pass\u200bword', 'pass\\u200bword'],
    ['a zero-width joiner', 'a\u200db', 'a\\u200db'],
    ['a word joiner', 'a\u2060b', 'a\\u2060b'],
    ['a byte order mark', '\ufeffa', '\\ufeffa'],
    ['a soft hyphen', 'a\u00adb', 'a\\u00adb'],
    ['a no-break space', 'a\u00a0b', 'a\\u00a0b'],
    ['an ideographic space', 'a\u3000b', 'a\\u3000b'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
    ['a Hangul filler', 'a\u3164b', 'a\\u3164b'],
    ['a variation selector', 'a\ufe0fb', 'a\\ufe0fb'],
    ['a braille blank', 'a\u2800b', 'a\\u2800b'],
    ['tag characters', 'a\u{e0041}\u{e007f}', 'a\\u{e0041}\\u{e007f}'],
    ['a lone surrogate', 'a\ud800b', 'a\\ud800b'],
    ['a private use character', 'a\ue000b', 'a\\ue000b'],
    ['a combining mark with nothing to sit on', '\u0301a', '\\u0301a'],
    ['a tower of combining marks', 'e\u0301\u0302\u0303\u0304', 'e\u0301\u0302\u0303\\u0304'],
    ['a line break', 'a\nb', 'a␊b'],
    ['a tab', 'a\tb', 'a␉b'],
  ])('%s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it.each([
    'plain words, 123 and "quotes"',
    'C:\\users\\docs and /\\d+\\b/',
    'Grüße, naïve café, 日本語, العربية, עברית, emoji 🎉',
    '{"key": [1, 2.5, null]}',
  ])('leaves %s alone', (text) => {
    expect(visibleText(text)).toBe(text);
  });

  it('marks text that only looks like a mark', () => {
    expect(visibleText('\\u202e')).toBe('\\\\u202e');
    expect(visibleText('\\\u202e')).toBe('\\\\\\u202e');
    expect(visibleText('␛')).toBe('\\u241b');
    expect(visibleText('⟨9 blank lines⟩')).toBe('\\u27e89 blank lines\\u27e9');
  });

  it('never lets a dangerous character through, and never shows two texts the same way', () => {
    const seen = new Map<string, string>();
    const parts = fc.oneof(
      fc.constantFrom('\\', 'u', '202e', '\u202e', '{e0041}', '\u{e0041}', '␛', ESC, '⟨', '"'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (pieces) => {
        const text = pieces.join('');
        const shown = visibleText(text);
        expect(shown).not.toMatch(DANGEROUS);
        expect(seen.get(shown) ?? text).toBe(text);
        seen.set(shown, text);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('visibleBlock', () => {
  it('keeps lines and tabs, and marks the rest', () => {
    expect(visibleBlock(`a\tb\nc${ESC}[0m\r\n`)).toBe('a\tb\nc␛[0m␍\n');
  });
});

describe('visibleJson', () => {
  it('stays the same JSON value and holds nothing dangerous', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visibleJson(JSON.stringify({ [text]: text }, null, 2));
        expect(shown.replaceAll('\n', '')).not.toMatch(DANGEROUS);
        expect(JSON.parse(shown)).toEqual({ [text]: text });
      }),
    );
  });
});

describe('visibleLines: padding is counted', () => {
  it('counts blank lines', () => {
    expect(visibleLines(`ls${'\n'.repeat(200)}rm -rf ~`)).toEqual([
      'ls',
      '⟨199 blank lines⟩',
      'rm -rf ~',
    ]);
  });

  it('counts blank lines that hide spaces and tabs', () => {
    expect(visibleLines('a\n \n\t\n\nb')).toEqual([
      'a',
      '⟨3 blank lines, some with spaces or tabs⟩',
      'b',
    ]);
  });

  it('counts spaces, tabs and both mixed', () => {
    expect(visibleLines(`a${' '.repeat(300)}b`)).toEqual(['a⟨300 spaces⟩b']);
    expect(visibleLines(`a${'\t'.repeat(40)}b`)).toEqual(['a⟨40 tabs⟩b']);
    expect(visibleLines(`a${'\t '.repeat(40)}b`)).toEqual(['a⟨80 spaces and tabs⟩b']);
  });

  it('counts runs of one invisible character', () => {
    expect(visibleLines(`a${'\u00a0'.repeat(50)}b`)).toEqual(['a⟨\\u00a0 ×50⟩b']);
    expect(visibleLines(`a${'\r'.repeat(50)}b`)).toEqual(['a⟨␍ ×50⟩b']);
  });

  it('shows blanks at the end of a line', () => {
    expect(visibleLines('a  \nb\t')).toEqual(['a⟨2 spaces⟩', 'b⟨1 tab⟩']);
  });

  it('leaves ordinary code readable', () => {
    const code = 'if (a) {\n    return b;\n}\n\nend';
    expect(visibleLines(code)).toEqual(code.split('\n'));
    expect(visibleLines('\tindented')).toEqual(['␉indented']);
  });
});

describe('visibleItem', () => {
  it('is one line, whatever is in it', () => {
    expect(visibleItem(`a\nb${ESC}[2K\t`)).toBe('a␊b␛[2K⟨1 tab⟩');
    expect(visibleItem(`a${' '.repeat(99)}b`)).toBe('a⟨99 spaces⟩b');
    expect(visibleItem('plain')).toBe('plain');
    expect(visibleItem('a ')).toBe('a⟨1 space⟩');
    expect(visibleItem('a\t\t')).toBe('a⟨2 tabs⟩');
  });
});
