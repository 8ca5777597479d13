/** Makes a text that fits a pattern: a small reader of regular expressions, always the same answer. */

const CLASSES = { d: '0', w: 'a', s: ' ', D: 'a', W: '-', S: 'a' };
const CANDIDATES = 'a0A-_ .:/@#1bZz+=,~!$&*()%?"\'';

/** Gives the members of a class such as `a-z_` one by one. */
const fitsClass = (body, character) => {
  try {
    return new RegExp(`^[${body}]$`).test(character);
  } catch {
    return false;
  }
};

const createReader = (source) => {
  let position = 0;
  const peek = () => source[position];

  const readClass = () => {
    const start = position;
    position += 1;
    for (; position < source.length && peek() !== ']'; position += 1) {
      if (peek() === '\\') position += 1;
    }
    position += 1;
    const body = source.slice(start + 1, position - 1);
    return [...CANDIDATES].find((one) => fitsClass(body, one)) ?? 'a';
  };

  const readEscape = () => {
    const mark = source[position + 1];
    position += 2;
    if (mark === 'p' || mark === 'P') {
      position = source.indexOf('}', position) + 1;
      return 'a';
    }
    if (mark === 'x' || mark === 'u') {
      const digits = source.slice(position, position + (mark === 'x' ? 2 : 4));
      position += digits.length;
      return String.fromCharCode(Number.parseInt(digits, 16) || 97);
    }
    if (mark === 'b' || mark === 'B' || mark === 'A' || mark === 'Z' || mark === 'z') return '';
    return CLASSES[mark] ?? { n: '\n', t: '\t', r: '\r' }[mark] ?? mark;
  };

  const readGroup = () => {
    position += 1;
    const look = /^\?(?:<?[=!])/.exec(source.slice(position));
    const name = /^\?(?::|<[^>=!]+>)/.exec(source.slice(position));
    position += (look ?? name)?.[0].length ?? 0;
    const text = readChoice();
    position += 1;
    return look ? '' : text;
  };

  const readAtom = () => {
    const mark = peek();
    if (mark === '[') return readClass();
    if (mark === '(') return readGroup();
    if (mark === '\\') return readEscape();
    position += 1;
    if (mark === '^' || mark === '$') return '';
    return mark === '.' ? 'a' : mark;
  };

  const repeated = (atom) => {
    const bounds = /^(?:\{(\d*)(,?)(\d*)\}|[*+?])\??/.exec(source.slice(position));
    if (bounds === null) return atom;
    position += bounds[0].length;
    if (bounds[0].startsWith('?')) return '';
    if (bounds[0].startsWith('*')) return '';
    if (bounds[0].startsWith('+')) return atom;
    return atom.repeat(Number(bounds[1] || 0));
  };

  const readSequence = () => {
    let text = '';
    while (position < source.length && peek() !== '|' && peek() !== ')') {
      text += repeated(readAtom());
    }
    return text;
  };

  const readChoice = () => {
    const choices = [readSequence()];
    while (peek() === '|') {
      position += 1;
      choices.push(readSequence());
    }
    return choices[0] === '' ? (choices.find((one) => one !== '') ?? '') : choices[0];
  };

  return readChoice;
};

const grown = (text, minLength) => {
  if (text.length >= minLength) return [text];
  const padding = text.at(-1) ?? 'a';
  return [
    text.padEnd(minLength, padding),
    text.padEnd(minLength, 'a'),
    text.padStart(minLength, '1'),
  ];
};

/** Returns a text that fits pattern and lengths, or `undefined` when none was found. */
export const textOfPattern = (pattern, { minLength = 0, maxLength = Number.POSITIVE_INFINITY }) => {
  let expression;
  try {
    expression = new RegExp(pattern);
  } catch {
    return undefined;
  }
  let text = '';
  try {
    text = createReader(pattern)();
  } catch {
    // A pattern that is too odd for this reader: only the common texts are tried.
  }
  const common = ['a', 'abc', '1', '12', '123', 'A', 'ABC', 'a1', 'example', 'a.b', '2024-01-31'];
  const tried = [text, ...common].flatMap((one) => grown(one, Math.max(minLength, 1)));
  return tried.find(
    (one) => expression.test(one) && one.length >= minLength && one.length <= maxLength,
  );
};
