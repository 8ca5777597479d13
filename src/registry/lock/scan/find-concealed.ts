/** Finds text that a reader would miss: encoded, pushed out of sight by padding, or extremely long. */
import type { LockFinding } from '../../../contract/lock.ts';
import type { Visible } from '../visible.ts';

const MAX_DECODED = 4_096;
const MAX_SHOWN = 80;
const MAX_BLANK_LINES = 10;
const MAX_BLANKS = 80;
const MIN_BLOB = 256;
const MAX_LENGTH = 20_000;
/** Too short to conceal a sentence. */
const MIN_LENGTH = 24;

interface Encoding {
  readonly name: string;
  readonly run: RegExp;
  decode(run: string): string;
}

const ENCODINGS: readonly Encoding[] = [
  {
    name: 'base64',
    run: /[A-Za-z0-9+/_-]{24,}={0,2}/g,
    decode: (run) => Buffer.from(run, 'base64').toString('latin1'),
  },
  {
    name: 'hexadecimal',
    run: /(?:[0-9a-fA-F]{2}){20,}/g,
    decode: (run) => Buffer.from(run, 'hex').toString('latin1'),
  },
  {
    name: 'escape sequences',
    run: /(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})){8,}/g,
    decode: (run) =>
      run.replaceAll(/\\(?:u|x)([0-9a-fA-F]+)/g, (_all, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      ),
  },
  {
    name: 'percent signs',
    run: /(?:%[0-9a-fA-F]{2}){8,}/g,
    decode: (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1'),
  },
];

/** Recognises words with blanks between them, unlike keys, digests or images. */
const isProse = (text: string): boolean =>
  text.length >= 8 && /^[\x20-\x7e\s]+$/.test(text) && /[A-Za-z]{2,} +[A-Za-z]{2,}/.test(text);

const encoded = (text: string, path: string, visible: Visible): readonly LockFinding[] => {
  const findings: LockFinding[] = [];
  for (const { name, run, decode } of ENCODINGS) {
    for (const [match] of text.matchAll(run)) {
      const decoded = decode(match.slice(0, MAX_DECODED));
      if (isProse(decoded)) {
        const shown = visible.text(decoded.slice(0, MAX_SHOWN));
        const message = `it holds text in ${name}: "${shown}"`;
        findings.push({ kind: 'hidden_instruction', path, message });
      } else if (match.length >= MIN_BLOB) {
        const message = `it holds ${match.length} characters of ${name} that cannot be read`;
        findings.push({ kind: 'suspicious', path, message });
      }
      if (findings.length > 3) return findings;
    }
  }
  return findings;
};

/** Counts line by line: a pattern would backtrack over long padding. */
const padding = (text: string, path: string): readonly LockFinding[] => {
  let blank = 0;
  let worst = 0;
  for (const line of text.split('\n')) {
    if (/\S/.test(line)) {
      worst = Math.max(worst, blank);
      blank = 0;
    } else blank += 1;
  }
  const runs = text.trim().match(/[^\S\n]+/g) ?? [];
  const widest = Math.max(0, ...runs.slice(0, 10_000).map(({ length }) => length));
  const finding = (what: string): LockFinding => ({
    kind: 'hidden_instruction',
    path,
    message: `${what} push what follows out of sight`,
  });
  return [
    ...(worst > MAX_BLANK_LINES ? [finding(`${worst} blank lines`)] : []),
    ...(widest > MAX_BLANKS ? [finding(`${widest} blanks in a row`)] : []),
  ];
};

export const findConcealed = (
  text: string,
  path: string,
  visible: Visible,
): readonly LockFinding[] => {
  if (text.length < MIN_LENGTH) return [];
  const long = {
    kind: 'suspicious' as const,
    path,
    message: `it is ${text.length} characters long`,
  };
  return [
    ...encoded(text, path, visible),
    ...padding(text, path),
    ...(text.length > MAX_LENGTH ? [long] : []),
  ];
};
