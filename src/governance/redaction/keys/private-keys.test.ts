import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { plainData } from '../../plain-data.ts';
import { REDACTED, Redactor } from '../redaction.ts';

const redactor = new Redactor();

const pem = (type: 'pkcs1' | 'pkcs8'): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type, format: 'pem' })
    .toString();
const KEYS: Readonly<Record<string, string>> = {
  'PKCS #8': pem('pkcs8'),
  'PKCS #1': pem('pkcs1'),
  'SEC 1': generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'sec1', format: 'pem' })
    .toString(),
  'encrypted PKCS #1': generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({
      type: 'pkcs1',
      format: 'pem',
      cipher: 'aes-128-cbc',
      passphrase: 'a pass phrase',
    })
    .toString(),
  'encrypted PKCS #8': generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-128-cbc',
      passphrase: 'a pass phrase',
    })
    .toString(),
  Ed25519: generateKeyPairSync('ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
};

const linesOf = (key: string): readonly string[] => key.trimEnd().split('\n');
/** Without the headers of an encrypted key. */
const bodyOf = (key: string): readonly string[] =>
  linesOf(key)
    .slice(1, -1)
    .filter((line) => /^[A-Za-z0-9+/]+=*$/.test(line));
const each = (key: string, write: (line: string, at: number) => string): string =>
  linesOf(key).map(write).join('\n');
const matches = (lines: readonly string[]): unknown => ({
  matches: lines.map((text, at) => ({ path: 'id.pem', line: at + 1, column: 1, text })),
});

const WRITTEN: Readonly<Record<string, (key: string) => unknown>> = {
  'with a level before each line': (key) => each(key, (line) => `[info] ${line}`),
  'with times before each line': (key) => each(key, (line, at) => `12:00:${at} INFO ${line}`),
  'as a quotation': (key) => each(key, (line) => `> ${line}`),
  'as added lines of a diff': (key) => each(key, (line) => `+${line}`),
  'as removed lines of a diff': (key) => each(key, (line) => `-${line}`),
  'with line numbers': (key) => each(key, (line, at) => `${at + 1}: ${line}`),
  'by cat -n': (key) => each(key, (line, at) => `    ${at + 1}\t${line}`),
  'by grep with context': (key) => each(key, (line, at) => `a/id.pem-${at}-${line}`),
  'as messages of a JSON log': (key) => each(key, (msg) => JSON.stringify({ level: 30, msg })),
  'in one message of a JSON log': (key) => JSON.stringify({ msg: key }),
  'in a JSON text in a JSON text': (key) => JSON.stringify(JSON.stringify({ msg: key })),
  'without its first line': (key) => linesOf(key).slice(1).join('\n'),
  'without its last line': (key) => linesOf(key).slice(0, -1).join('\n'),
  'without first and last line': (key) => bodyOf(key).join('\r\n'),
  'without line breaks': (key) => bodyOf(key).join(''),
  'as a list of lines': (key) => linesOf(key),
  'as a list of lines of the body': (key) => bodyOf(key),
  'as an indented JSON list': (key) => JSON.stringify(linesOf(key), null, 2),
  'as matches of a search': (key) => matches(linesOf(key)),
  'as matches in the body only': (key) => matches(bodyOf(key)),
};

/** Both views: of results, and of logs and the audit trail. */
const views = (value: unknown): string =>
  JSON.stringify([plainData(value, redactor).data, redactor.record(value)]);

describe('threat: a private key that is not one block of text reaches a model', () => {
  describe.each(Object.keys(WRITTEN))('%s', (how) => {
    // Without its headers and line breaks an encrypted key is like any other base64.
    const isTold = (type: string): boolean =>
      how !== 'without line breaks' || type !== 'encrypted PKCS #1';

    it.each(Object.keys(KEYS).filter(isTold))('no line of a key as %s is shown', (type) => {
      const key = KEYS[type] as string;
      const text = views((WRITTEN[how] as (key: string) => unknown)(key));
      // The last line of a key alone is too short to be told from a word.
      expect(bodyOf(key).filter((line) => text.includes(line))).toEqual([]);
      expect(text).toContain(REDACTED);
    });
  });

  it.each(Object.keys(KEYS))(
    'no line of a key as %s that is streamed line by line is shown',
    (type) => {
      const stream = redactor.stream();
      const key = KEYS[type] as string;
      let shown = '';
      for (const line of bodyOf(key)) shown += stream.push(`${line}\n`);
      shown += stream.push('and more words\n'.repeat(200)) + stream.end();
      expect(bodyOf(key).filter((line) => shown.includes(line))).toEqual([]);
    },
  );

  it.each(Object.keys(KEYS))('a file with %s that is read as base64 or hex', (type) => {
    const key = KEYS[type] as string;
    const file = Buffer.from(`# keys\nexport A=1\n${key}`);
    const base64 = file.toString('base64');
    for (const content of [
      base64,
      base64.replaceAll(/.{76}/g, '$&\n'),
      file.toString('hex'),
      Buffer.from(base64).toString('base64'),
    ]) {
      const text = views({ path: 'id', content, encoding: 'base64' });
      const line = bodyOf(key)[0] as string;
      for (const offset of [0, 1, 2]) {
        const written = Buffer.from(line.slice(offset, 60)).toString('base64').slice(4, -8);
        expect(text).not.toContain(written);
      }
      expect(text).not.toContain(Buffer.from(line).toString('hex'));
      expect(text).toContain(REDACTED);
    }
  });

  it('a text of many first lines, or of lines without an end, is searched in linear time', () => {
    const begin = '-----BEGIN PRIVATE KEY-----';
    const line = `${'aB3'.repeat(21)}x`;
    for (const text of [begin.repeat(20_000), `${line} `.repeat(8000), `${line}\n`.repeat(8000)]) {
      const start = process.cpuUsage();
      redactor.text(text);
      expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
    }
  });
});

const CERTIFICATE_LINE = 'MIIC+TCCAeGgAwIBAgIUAIY/ViB6ENobK0QKKay0B8fdDokwDQYJKoZIhvcNAQEL';

describe('base64 that is no private key stays', () => {
  const lines = (count: number, start: string, width = 64): string =>
    [start, ...Array.from({ length: count }, () => randomBytes(48).toString('base64'))]
      .join('')
      .replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\n');

  it.each([
    [
      'a certificate',
      `-----BEGIN CERTIFICATE-----\n${lines(8, CERTIFICATE_LINE)}-----END CERTIFICATE-----`,
    ],
    [
      'a certificate with a prefix on every line',
      `-----BEGIN CERTIFICATE-----\n${lines(8, '')}-----END CERTIFICATE-----`.replaceAll(
        /^/gm,
        '| ',
      ),
    ],
    [
      'a certificate in JSON',
      JSON.stringify({
        pem: `-----BEGIN CERTIFICATE-----\n${lines(8, '')}-----END CERTIFICATE-----`,
      }),
    ],
    ['the body of a certificate', lines(8, CERTIFICATE_LINE)],
    [
      'a public key',
      generateKeyPairSync('rsa', { modulusLength: 2048 })
        .publicKey.export({ type: 'spki', format: 'pem' })
        .toString(),
    ],
    ['a signature', `-----BEGIN PGP SIGNATURE-----\n\n${lines(4, '')}-----END PGP SIGNATURE-----`],
    ['a picture in lines', lines(20, 'iVBORw0KGgoAAAANSUhEUgAA')],
    ['an attachment of a mail', lines(20, '', 76)],
    ['a SHA-256', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['a checksum of a script', `integrity="sha384-${randomBytes(48).toString('base64')}"`],
    ['a path of 64 characters', 'src/Governance/redaction2/PrivateKeys/FileSearch/ResultsOfCalls1'],
    [
      'a text as base64',
      Buffer.from('An ordinary text, with nothing in it. '.repeat(9)).toString('base64'),
    ],
  ])('%s', (_what, text) => {
    expect(redactor.text(text)).toBe(text);
  });

  it('a certificate that is streamed line by line', () => {
    const text = `-----BEGIN CERTIFICATE-----\n${lines(40, '')}-----END CERTIFICATE-----\n`;
    const stream = redactor.stream();
    const pieces = text.split(/(?<=\n)/).map((line) => stream.push(line));
    expect(pieces.join('') + stream.end()).toBe(text);
  });
});
