import { describe, expect, it } from 'vitest';
import { REDACTED, Redactor } from './redaction.ts';

const SECRET = 'Zq7xW2vTn9Lk4RbM';
const clean = (text: string) => new Redactor().text(text);

describe('threat: a secret whose name does not stand right before it', () => {
  it.each([
    ['an attribute beside it', `<add key="DbPassword" value="${SECRET}" />`],
    ['another attribute', `<property name='api_key' value='${SECRET}'/>`],
    ['a field of its own in YAML', `env:\n  - name: DB_PASSWORD\n    value: ${SECRET}\n`],
    ['a field of its own in YAML, quoted', `- name: "TOKEN"\n  value: "${SECRET}"`],
    ['a field of its own in JSON', `[{"name":"API_TOKEN","value":"${SECRET}"}]`],
    ['a field over several lines', `{\n  "key": "secretKey",\n  "value": "${SECRET}"\n}`],
    ['a parameter of a stack', `ParameterKey: DbPassword\n  ParameterValue: ${SECRET}`],
    ['a field in one line', `{ name: 'token', value: '${SECRET}' }`],
    ['a variable of Terraform', `variable "db_password" {\n  default = "${SECRET}"\n}`],
    ['a line of a Dockerfile', `FROM x\nENV API_TOKEN ${SECRET}\n`],
    ['setx', `setx API_TOKEN ${SECRET}`],
    ['the shell fish', `set -gx API_TOKEN ${SECRET}`],
    ['a table', `| name | value |\n| --- | --- |\n| API_TOKEN | ${SECRET} |`],
    ['a table of psql', ` api_key | ${SECRET}\n`],
    ['a table with marks', `| \`password\` | \`${SECRET}\` |`],
    ['the head of a CSV text', `user,password\nada,${SECRET}\n`],
    ['the head of a CSV text, quoted', `"user";"password"\n"ada";"${SECRET}"`],
    ['the head of a CSV text, with a comma inside', `user,token,note\n"a, b",${SECRET},x`],
    ['the head of a text with tabs', `user\tpassword\nada\t${SECRET}`],
    ['a sentence', `The password is ${SECRET}.`],
    ['a sentence about now', `The token is now ${SECRET}`],
    ['a sentence about a change', `The token was changed to "${SECRET}"`],
    ['an error', `login failed (Authorization: ${SECRET})`],
    ['a cookie that is no pair', `cookie: ${SECRET}`],
    ['a directive of Redis', `port 6379\nrequirepass ${SECRET}\nmasterauth ${SECRET}\n`],
    ['a directive in quotes', `  bindpw "${SECRET}"`],
    ['a directive with a comment behind it', `rootpw ${SECRET} # changed in May`],
    ['a name and a tab', `password\t${SECRET}`],
    ['a line of two words', `passwd ${SECRET}`],
    ['a full-width colon', `密码：${SECRET}`],
  ])('%s', (_what, text) => {
    expect(clean(text)).not.toContain(SECRET);
    expect(clean(text)).toContain(REDACTED);
  });

  it('words in a column of passwords go, too, and other columns stay', () => {
    expect(clean('user,password\nada,correcthorse\n')).toBe(`user,password\nada,${REDACTED}\n`);
  });
});

describe('benign: what only looks like it', () => {
  it.each([
    '<input type="text" name="title" value="Zq7xW2vTn9Lk4RbM" />',
    '<input name="password" value="" />',
    '- name: LOG_LEVEL\n  value: debug\n',
    '- name: API_TOKEN\n  valueFrom:\n    secretKeyRef:\n      name: db\n',
    '- name: API_TOKEN\n  value: {{ token }}\n',
    'return { name: "x-api-key", value: apiKey };',
    'const named = { name: password, value: input.value };',
    'variable "db_password" {\n  type = string\n}',
    'ENV NODE_ENV production',
    'ENV PASSWORD_MIN_LENGTH 12',
    'type Key = CryptoKey | Uint8Array;',
    'export type OAuth2Client = OldOAuth2Client | CurrentOAuth2Client;',
    '| password | string | The password of the user. |',
    '| tokens | 46,080 |',
    '| token | required |',
    'token,pos\nhello,NN\nworld,NN\n',
    'name,tokens\nsonnet,46080\n',
    'name,value\ntoken,1\n',
    'The password is required.',
    'The token is at least 20 characters long.',
    'The password was changed to something else.',
    'The token is sha256-hashed.',
    'token, a session, a caller\nand more, of it, here',
    'passwd 1:4.13+dfsg1-1+deb12u1',
    'passwd\t1:4.13+dfsg1-1+deb12u1\nlogin\t1:4.13+dfsg1-1+deb12u1',
    'password required',
    'pam_password crypt',
    'auth sufficient pam_unix.so nullok',
    'token-bucket.ts 9f8e7d6c5b4a3928',
    'password OAuth2Client',
    'tokens 46080',
    'requirepass foobared',
    'secret $DB_SECRET_2',
  ])('%s', (text) => {
    expect(clean(text)).toBe(text);
  });
});

describe('benign: places, code and texts beside the names of secrets', () => {
  it.each([
    "src/token.ts:12:7: error: unused variable 'token'",
    '    at Token.parse (/app/src/token.ts:12:3)',
    'packages/auth/src/password.test.tsx:120:33',
    'api_key=os.environ["OPENAI_API_KEY"]',
    'password=config.password,',
    'self.password = password',
    "forgotPassword: '/forgot',",
    'API_KEY_HEADER=X-Api-Key',
    'secrets: inherit',
    '{"PWD":"/home/ada/project","HOME":"/home/ada"}',
    JSON.stringify({ stdout: '{"PWD":"/home/ada"}' }),
    'docker build --secret id=npmrc,src=.npmrc .',
    'API_KEY=your-api-key',
    'OPENAI_API_KEY=sk-...',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '$token-color: #fff;',
    'jwt: "โทเคน JWT",',
    '"pass": "1つのロール値のみ使用されています",',
    "const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:jwt';",
    "grantToken: 'urn:ietf:params:oauth:token-type:jwt',",
    'export const ZodJWT = /*@__PURE__*/ core.make("ZodJWT");',
  ])('%s', (text) => {
    expect(clean(text)).toBe(text);
  });

  it.each([
    'password=hunter-12:34',
    'token.value: Zq7xW2vTn9Lk4RbM',
    'self.password = hunter2x',
    'API_KEY=your4Secret-x9',
    'PASSWORD=/forgot9x',
    'wifi_psk=Zq7xW2vTn9Lk4RbM',
    'GITHUB_PAT=Zq7xW2vTn9Lk4RbM',
    'AZURE_STORAGE_KEY: Zq7xW2vTn9Lk4RbM',
    'code_verifier=Zq7xW2vTn9Lk4RbM',
    '--_authToken Zq7xW2vTn9Lk4RbM',
  ])('threat: %s is redacted', (text) => {
    expect(clean(text)).toContain(REDACTED);
  });
});

it.each([
  ['fields', 'name: token, '],
  ['attributes', '<add key="token" '],
  ['tables', 'token | '],
  ['variables', 'variable "token" {'],
  ['sentences', 'token is '],
  ['columns', 'a,password\n'],
])('threat: half a million characters of %s take no long time', (_what, part) => {
  const text = `value="${part.repeat(Math.ceil(500_000 / part.length))}`;
  const started = process.cpuUsage();
  new Redactor().text(text);
  expect(process.cpuUsage(started).user).toBeLessThan(15_000_000);
});
