import { describe, expect, it } from 'vitest';
import { plainData } from '../../src/governance/plain-data.ts';
import { REDACTED, Redactor } from '../../src/governance/redaction/redaction.ts';
import { ASSIGNMENTS, JUDGED_FIELDS, PLAIN_FIELDS, SECRET_NAMES } from './a3-names.ts';

const CANARY = 'c4nary-V4lue!77';
const redactor = new Redactor();

/** Both views: of results, and of logs and the audit trail. */
const views = (value: unknown): readonly string[] => [
  JSON.stringify(plainData(value, redactor).data),
  JSON.stringify(redactor.record(value)),
];

const canaryIn = (name: string): string =>
  /cookie/i.test(name) ? `sid=${CANARY}; theme=${CANARY}` : CANARY;

describe('A3: values under the names of secrets', () => {
  it.each(SECRET_NAMES)('%s hides its value in results and in records', (name) => {
    const value = canaryIn(name);
    for (const data of [
      { [name]: value },
      { list: [{ deep: { [name]: value } }] },
      { [name]: [value, value] },
      { [name]: { value, inner: { x: value } } },
      { name, value },
      { env: [{ key: name, value }] },
      new Map([[name, value]]),
      { args: [`--${name}`, value, '--page', '2'] },
    ]) {
      for (const text of views(data)) {
        expect(text).not.toContain(CANARY);
        expect(text).toContain(REDACTED);
      }
    }
  });

  it.each(Object.keys(ASSIGNMENTS))('every name hides its value in %s', (where) => {
    const write = ASSIGNMENTS[where] as (name: string, value: string) => string;
    const missed = SECRET_NAMES.filter((name) => {
      // A blank or accent in such a place makes it no name.
      const value = canaryIn(name);
      if (/ =|element|flag|query|string/.test(where) && / /.test(value)) return false;
      return redactor.text(write(name, value)).includes(CANARY);
    });
    expect(missed).toEqual([]);
  });

  it('plain names keep their values in results, records and JSON texts', () => {
    expect(plainData(PLAIN_FIELDS, redactor).data).toEqual(PLAIN_FIELDS);
    expect(redactor.record(PLAIN_FIELDS)).toEqual(PLAIN_FIELDS);
    const altered = Object.entries(PLAIN_FIELDS).flatMap(([name, value]) =>
      [JSON.stringify({ [name]: value }), `${name}=${value}`, `${name}: ${value}`].filter(
        (text) => redactor.text(text) !== text,
      ),
    );
    expect(altered).toEqual([]);
  });

  it.each(JUDGED_FIELDS)('%s hides values by their form only', (name, hidden, shown) => {
    for (const value of hidden) {
      expect(redactor.record({ [name]: value })).toEqual({ [name]: REDACTED });
      expect(plainData({ [name]: value }, redactor).data).toEqual({ [name]: REDACTED });
      const assigned = redactor.text(`${name}=${value}`);
      if (!/\s/.test(String(value))) expect(assigned).toBe(`${name}=${REDACTED}`);
    }
    for (const value of shown) {
      expect(redactor.record({ [name]: value })).toEqual({ [name]: value });
      expect(redactor.text(`${name}: ${value}`)).toBe(`${name}: ${value}`);
    }
  });

  it('of an address only the password is hidden', () => {
    expect(
      redactor.record({
        dsn: 'bob:hunter2@tcp(db:3306)/x',
        DATABASE_URL: 'postgres://u:hunter2@h/db',
        connectionString: 'Server=db;Pwd=hunter2;Encrypt=true',
      }),
    ).toEqual({
      dsn: `bob:${REDACTED}@tcp(db:3306)/x`,
      DATABASE_URL: `postgres://u:${REDACTED}@h/db`,
      connectionString: `Server=db;Pwd=${REDACTED};Encrypt=true`,
    });
  });

  it('names of two words hide their values in prose', () => {
    const words =
      'abandon ability able about above absent absorb abstract absurd abuse access acid';
    expect(redactor.text('API key: abc123def')).toBe(`API key: ${REDACTED}`);
    expect(redactor.text(`Seed phrase: ${words}`)).toBe(`Seed phrase: ${REDACTED}`);
    expect(redactor.text('otp: 123456')).toBe(`otp: ${REDACTED}`);
    expect(redactor.text('cvv=123')).toBe(`cvv=${REDACTED}`);
    for (const text of ['primary key: id', 'zip code: 10115', 'user id: 123456', 'GPIO pin: 17'])
      expect(redactor.text(text)).toBe(text);
  });

  it('the schema of a field that is named as a secret stays, its example goes', () => {
    const schema = {
      type: 'object',
      properties: {
        password: { type: 'string', minLength: 8, description: 'At least 8.', example: CANARY },
      },
      required: ['password'],
    };
    const { data } = plainData(schema, redactor);
    expect(data).toMatchObject({
      properties: { password: { type: 'string', minLength: 8, example: REDACTED } },
      required: ['password'],
    });
  });

  it('names of the configuration hide, and names that it shows do not', () => {
    const own = new Redactor({ hidden: ['internal_code', 'iban'], shown: ['csrfToken'] });
    const data = {
      myInternalCode: 'x9',
      IBAN: 'DE02',
      ibanCount: 3,
      csrfToken: 'abc',
      token: 'abc',
    };
    expect(own.record(data)).toEqual({
      myInternalCode: REDACTED,
      IBAN: REDACTED,
      ibanCount: 3,
      csrfToken: 'abc',
      token: REDACTED,
    });
  });
});

describe('A3: texts that no name introduces alone', () => {
  it.each([
    ['a cookie header', `Cookie: sid=${CANARY}; theme=dark`],
    ['a cookie that is set', `< set-cookie: sid=${CANARY}; Path=/; HttpOnly`],
    ['a cookie for curl', `curl -H 'Cookie: sid=${CANARY}' https://x.example`],
    ['an unknown scheme', `Authorization: Custom ${CANARY}`],
    ['no scheme', `authorization: ${CANARY}`],
    ['a digest', `Authorization: Digest username="ada", response="${CANARY}"`],
    ['a file for logins', `machine x.example login ada password ${CANARY}`],
    ['SQL', `CREATE USER ada WITH PASSWORD '${CANARY}'`],
    ['Oracle', `jdbc:oracle:thin:scott/${CANARY}@//db:1521/x`],
    ['a token as the user of an address', `https://c4nary0V4lue077abcdef@git.example/x`],
    ['a dump of the environment', `declare -x FOO_TOKEN="${CANARY}"`],
    ['a Dockerfile', `ENV DB_PASSWORD=${CANARY}`],
    ['an argument of docker', `docker run -e DB_PASSWORD=${CANARY} image`],
    ['a variable before a command', `PGPASSWORD=${CANARY} psql -h db`],
    ['the first item of a connection string', `Password=${CANARY};Server=db`],
    ['libpq', `host=db user=ada password=${CANARY} dbname=x`],
    ['a block of YAML', `password: |\n  ${CANARY}\nuser: ada`],
  ])('%s', (_what, text) => {
    const clean = redactor.text(text);
    expect(clean).not.toMatch(/c4nary/);
    expect(clean).toContain(REDACTED);
    expect(redactor.text(clean)).toBe(clean);
  });

  const jwt = [
    Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
    Buffer.from('{"sub":"1234567890","name":"Ada Lovelace","iat":1516239022}').toString(
      'base64url',
    ),
    'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
  ] as const;

  it.each([
    ['blanks between its parts', jwt.join(' . ')],
    ['line breaks between its parts', jwt.join('.\n  ')],
    ['lines of 40', jwt.join('.').replaceAll(/.{40}/g, '$&\n')],
    ['lines of 64, indented', jwt.join('.').replaceAll(/.{64}/g, '$&\r\n    ')],
    ['a blank every 20', jwt.join('.').replaceAll(/.{20}/g, '$& ')],
  ])('a JWT with %s', (_how, text) => {
    const clean = redactor.text(`token ${text}\nnext line`);
    for (const part of jwt) expect(clean).not.toContain(part.slice(0, 12));
    expect(clean).not.toContain(jwt[2].slice(-8));
  });
});

describe('A3: a known value that is split or encoded', () => {
  const knowing = new Redactor();
  knowing.learn(CANARY);
  const chars = [...CANARY];
  const bytes = Buffer.from(CANARY);
  const pairs = bytes.toString('hex').match(/../g) as string[];

  it.each([
    ['colours around each character', chars.map((c) => `\u001b[31m${c}\u001b[0m`).join('')],
    ['a colour in the middle', `${CANARY.slice(0, 5)}\u001b[1;38;5;196m${CANARY.slice(5)}`],
    [
      'a link of the terminal',
      `\u001b]8;;https://x\u0007${CANARY.slice(0, 4)}\u001b]8;;\u0007${CANARY.slice(4)}`,
    ],
    ['colours in a JSON text', JSON.stringify(chars.join('\u001b[0m'))],
    ['zero-width spaces', chars.join('\u200b')],
    ['zero-width joiners', chars.join('\u200d')],
    ['soft hyphens', chars.join('\u00ad')],
    ['byte order marks', chars.join('\ufeff')],
    ['bidirectional marks', `\u202e${chars.join('\u2066')}\u202c`],
    ['tags', chars.join('\u{e0041}')],
    ['variation selectors', chars.join('\ufe0f')],
    ['null characters', chars.join('\0')],
    ['hex with colons', pairs.join(':')],
    ['hex with blanks', pairs.join(' ')],
    ['hex with 0x', pairs.map((pair) => `0x${pair}`).join(', ')],
    ['capital hex with colons', pairs.join(':').toUpperCase()],
    ['escaped hex', pairs.map((pair) => `\\x${pair}`).join('')],
    ['decimal bytes', [...bytes].join(', ')],
    ['base64', bytes.toString('base64')],
    ['base64 of UTF-16', Buffer.from(CANARY, 'utf16le').toString('base64')],
    ['base64 twice', Buffer.from(bytes.toString('base64')).toString('base64')],
    ['a URL', encodeURIComponent(CANARY)],
  ])('%s', (_how, written) => {
    const clean = knowing.text(`before ${written} after`);
    expect(clean).toContain(REDACTED);
    expect(clean).toMatch(/^"?before /);
    expect(clean).toContain(' after');
    expect(clean).not.toContain(written.slice(4, -4));
  });

  it('colours and zero-width characters that hide nothing stay', () => {
    const text =
      '\u001b[32mok\u001b[0m 12 passed \u200b\u{1f468}\u200d\u{1f469} \u001b]0;title\u0007';
    expect(knowing.text(text)).toBe(text);
  });
});
