/** Threat "Secrets": values whose name stands elsewhere, in a quote, a column or a file of their own. */
import { describe, expect, it } from 'vitest';
import { REDACTED, Redactor } from './redaction.ts';

const clean = (text: string): string => new Redactor().text(text);

/** Rows of a table of users; each password has its number. */
const rows = (count: number, row = (at: number) => `user${at},pass-${at}-x,note`): string =>
  Array.from({ length: count }, (_, at) => `${row(at)}\n`).join('');
const leaksIn = (text: string): number => text.match(/pass-\d+-x/g)?.length ?? 0;

describe('threat: passwords in the column of a text', () => {
  it.each([
    ['longer than one slice', 30_000],
    ['of more rows than a table of a person has', 12_000],
  ])('%s are all redacted', (_what, count) => {
    expect(leaksIn(clean(`user,password,note\n${rows(count)}`))).toBe(0);
  });

  it('are redacted under a name of their own, slice by slice', () => {
    const redactor = new Redactor();
    const text = `user,password,note\n${rows(30_000)}`;
    const slices = redactor.slicesUnder({ name: 'stdout', kind: 'plain' }, text);
    let step = slices.next();
    while (!step.done) step = slices.next();
    expect(leaksIn(step.value)).toBe(0);
  });

  it('are redacted in a stream, whose later pieces have no head', () => {
    const stream = new Redactor().stream();
    const text = `user,password,note\n${rows(3_000)}`;
    let shown = '';
    for (let at = 0; at < text.length; at += 1_000)
      shown += stream.push(text.slice(at, at + 1_000));
    stream.peek();
    expect(leaksIn(shown + stream.end())).toBe(0);
  });

  it.each([
    ['a blank line', 'user,password\nada,pass-1-x\n\nbob,pass-2-x\n'],
    ['a row of another width', 'user,password\nada\nbob,pass-2-x\na,b,c\neve,pass-3-x\n'],
    ['a comment', 'user,password\n# more\nbob,pass-2-x\n'],
    ['a cell of two lines', 'note,password\n"one\ntwo",pass-1-x\n"a, b",pass-2-x\n'],
    ['a stray quote', 'note,password\n"one,pass-1-x\ntwo,pass-2-x\nsix,pass-3-x\n'],
  ])('go on behind %s', (_what, text) => {
    const text2 = clean(text);
    expect(text2.match(/pass-[23]-x/)).toBeNull();
    expect(text2).toContain(REDACTED);
  });
});

describe('threat: other tables and markup', () => {
  it.each([
    'user|password\nada|hunter2x\n',
    ' user | password \n------+----------\n ada  | hunter2x\n',
    '+------+----------+\n| user | password |\n+------+----------+\n| ada | hunter2X9 |\n',
    '| user | role | password |\n| --- | --- | --- |\n| ada | admin | hunter2X9 |\n',
    '\n\nuser,password\nada,hunter2x',
    '# users\nuser,password\nada,hunter2x',
    '<entry key="password">hunter2x</entry>',
    '<string name="api_key">hunter2x</string>',
    '<key>Password</key>\n\t<string>hunter2x</string>',
    '<Password Value="hunter2x"/>',
    '[password: hunter2x]',
    'password: !!str hunter2x',
  ])('%j', (text) => {
    expect(clean(text)).not.toMatch(/hunter2/);
    expect(clean(text)).toContain(REDACTED);
  });
});

describe('threat: a quote inside of a value ends nothing', () => {
  it.each([
    ['{"name":"PASSWORD","value":"abc\\"defghijk99"}', 'defghijk99'],
    ['<add key="DbPassword" value="O\'Neil-s3cret99"/>', 's3cret99'],
    ["<add key='DbPassword' value='say-\"hi\"-s3cret99'/>", 's3cret99'],
    ['- name: DB_PASSWORD\n  value: "it\'s-my-Passw0rd99"\n', 'Passw0rd99'],
    ["- name: DB_PASSWORD\n  value: 'it''s-my-Passw0rd99'\n", 'Passw0rd99'],
    ["- name: DB_PASSWORD\n  value: it's-my-Passw0rd99\n", 'Passw0rd99'],
    ['- name: DB_PASSWORD\n  value: ab"c-my-Passw0rd99\n', 'Passw0rd99'],
    ['ENV DB_PASSWORD "it\'s-my-Passw0rd99"', 'Passw0rd99'],
    ["ENV DB_PASSWORD it's-my-Passw0rd99", 'Passw0rd99'],
    ['variable "db_password" {\n  default = "abc\\"defghijk99"\n}', 'defghijk99'],
    ["The password is Ab12'defGHIjk99.", 'defGHIjk99'],
  ])('%j', (text, rest) => {
    expect(clean(text)).not.toContain(rest);
    expect(clean(text)).toContain(REDACTED);
  });
});

describe('threat: what looks like a file, a repeated name or a route is a secret elsewhere', () => {
  it.each([
    '"token.yaml": "hunter2secretX9"',
    "'password.json': 'hunter2secretX9'",
    'client_secret.json=hunter2secretX9',
    'password.ts=hunter2secretX9',
    'DB_PASS=pass',
    'export DB_PASS=pass',
    'MYSQL_ROOT_PASSWORD=password',
    '{"password":"/correct-horse"}',
    "db_password: '/correct/horse/battery'",
  ])('%s', (text) => {
    expect(clean(text)).toContain(REDACTED);
  });
});

describe('benign: identifiers, folders, routes and files', () => {
  it.each([
    'API token is OAuth2Client',
    '| token | RS256Algorithm |',
    '| password | BCryptPasswordEncoder2 |',
    'The token is sha256Digest now.',
    'user,pwd\nada,/home/ada\n',
    'user,token\nada,OAuth2Client\n',
    "forgotPassword: '/forgot',",
    "password: '/account/password',",
    "resetPassword: '/reset',",
    "token: '/oauth/token',",
    'password=password,',
    'self.password = password',
    'src/token.json:12: "x"',
    'token.yaml: no such file',
    '{"./token.js": "./dist/token.js", "./password.json": "./password.json"}',
    '"token.ts": "handles what callers bring along"',
    'a, b\nc\nd, e',
    '| Way | Password | Passkey |\n| --- | --- | --- |\n| resists phishing | no | always |\n',
    'const apiKeyHeader = "X-Api-Key";',
    '<h2 id="api-keys">Keys</h2>',
    '<key>TokenURL</key>\n<string>https://example.com</string>',
    '<string name="password_hint">Enter it</string>',
    "{ name: 'password', value: '', type: 'text' }",
    '<input id="password" value="" title="a">',
  ])('%s stays', (text) => {
    expect(clean(text)).toBe(text);
  });
});
