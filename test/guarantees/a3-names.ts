/** Names of secrets and of other things, and the ways in which texts give a value to a name. */

/** Names whose values are secret. */
export const SECRET_NAMES: readonly string[] = `
  password Password PASSWORD passWord passwd pwd PWD passphrase pass dbPassword db_password DB_PASSWORD
  db-password db.password userPassword passwordHash password_confirmation password2 newPassword
  smtpPass MYSQL_PASS PGPASSWORD mysqlpwd dbpassword rootPassword RootPassWord passcode Passwort
  contraseña senha secret clientSecret client_secret CLIENT-SECRET secretKey secret_key SECRET_KEY
  appSecret signingSecret webhookSecret secretValue secretAccessKey AWS_SECRET_ACCESS_KEY secret_id
  sharedSecret jwtSecret NEXTAUTH_SECRET secrets topSecret token auth_token authToken AuthToken
  AUTH_TOKEN accessToken access_token refreshToken idToken bearerToken botToken githubToken GH_TOKEN
  NPM_TOKEN SLACK_BOT_TOKEN csrfToken sessionToken apiToken api_token authtoken accesstoken tokenValue
  X-Auth-Token X-Amz-Security-Token X-Vault-Token PRIVATE-TOKEN oauthToken oauth2Token
  x-access-token tokens apiKey api_key apikey API_KEY ApiKey APIKey api-key X-Api-Key x-api-key
  XApiKey openaiApiKey OPENAI_API_KEY stripeKey STRIPE_KEY awsKey googleMapsKey privateKey private_key
  PRIVATE_KEY sshKey ssh_private_key encryptionKey masterKey signingKey accessKey AccountKey
  sharedAccessKey Ocp-Apim-Subscription-Key licenseKey hmacKey apiKeys credential credentials creds
  awsCredentials Authorization authorization Proxy-Authorization authorizationHeader cookie Cookie
  Set-Cookie sessionCookie cookies jwt jwtToken bearer otp totp otpCode mfaCode recoveryCode
  recoveryCodes backupCodes seedPhrase mnemonic cvv sessid PHPSESSID pw dbPw user_pw DB-PW X-Auth
  x_auth sharedAccessSignature SHARED_ACCESS_SIGNATURE p\u0430ssword pas\u200bsword \uff50assword
  t\u03bfken secr\u0435t api\u2060Key \u043f\u0430\u0440\u043e\u043b\u044c`
  .split(/\s+/)
  .filter((name) => name !== '');

/** Names of other things, each with a value that has to stay. */
export const PLAIN_FIELDS: Readonly<Record<string, unknown>> = {
  tokenCount: 46_080,
  tokens: 46_080,
  maxTokens: 4096,
  max_tokens: '4096',
  inputTokens: 12,
  totalTokens: 99,
  tokensPerSecond: 31.5,
  tokenType: 'bearer',
  token_type: 'Bearer',
  tokenUrl: 'https://login.example.com/token',
  tokenExpiresAt: '2026-01-15T12:00:00Z',
  tokenizer: 'cl100k_base',
  tokenized: 'a b c',
  nextPageToken: 'CAUQAA9f8e7d6c5b4a3',
  pageToken: 'CAUQAA9f8e7d6c5b4a3',
  nextToken: 'AAMA-EFRSURBSGhtN2Rt1',
  continuationToken: '1!96!MDAwMDE5IXByb2plY3Q',
  progressToken: 'p-1',
  stopToken: '<|end|>',
  keyboard: 'qwertz-105',
  monkey: 'capuchin1',
  turkey: 'Ankara',
  hockey: 'field',
  key: 'name',
  keys: ['a', 'b'],
  keyCode: 13,
  primaryKey: 'customer_id',
  primary_key: 'id',
  foreignKey: 'orders.customer_id',
  publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0Zq1wQm1k0nJ2b9T0y7p1l4o5u6i7e8r9t0a1s2d3f',
  public_key: '04b2c1d3e4f5a6b7c8d9e0f1a2b3c4d5',
  sortKey: 'created#2026-01-15',
  cacheKey: 'user:42:profile:v3',
  idempotencyKey: 'order-2026-000123-retry1',
  accessKeyId: 'my-key-id',
  keyId: 'k-2026',
  hotkey: 'ctrl+k',
  author: 'Ada Lovelace',
  authority: 'example.com:443',
  authorized: true,
  authors: ['Ada', 'Grace'],
  passwordPolicy: 'strict',
  passwordLength: 12,
  passwordRequired: true,
  hasPassword: true,
  passwordChangedAt: '2026-01-15',
  passwordManager: 'bitwarden',
  passwordless: 'yes, by mail',
  secretary: 'Ms Moneypenny',
  secretName: 'db-main',
  secretsManager: 'vault',
  secretRef: 'vault:kv/db#main',
  cookiePolicy: 'essential only',
  cookieConsent: 'given',
  cookieDomain: '.example.com',
  credentialsMode: 'include',
  bypass: 'left lane 2',
  compass: 'north-1',
  passed: 12,
  passRate: '97.5 %',
  pass: 12,
  passenger: 'Seat 12A',
  sessionId: 'session-2026-01-15',
  sidebar: 'collapsed-1',
  design: 'token based',
  designTokens: 'spacing-4',
  signature: '(a: number, b: string) => void',
  encoding: 'base64url',
  barcode: '4006381333931',
  zipcode: '10115',
  postcode: 'SW1A 1AA',
  errorCode: 'E1234',
  passport: 'must be shown at gate 4',
  pin: 3,
  pinned: 12_345,
  pins: '13, 14',
  spin: '12345',
  salt: true,
  saltGrams: 12,
  mfa: 'required',
  mfaEnabled: true,
  hmac: 'sha256',
  seed: 42,
  randomSeed: 'benign 12',
  session_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  session: 'starts at 10',
  dsn: 'sqlite:///tmp/x.db',
  DATABASE_URL: 'postgres://localhost:5432/db',
  connectionString: 'Server=db;Encrypt=true',
};

/** Names whose values are judged by their form, with values that are hidden and values that stay. */
export const JUDGED_FIELDS: readonly (readonly [
  name: string,
  hidden: readonly unknown[],
  shown: readonly unknown[],
])[] = [
  ['pin', ['1234', 1234, '0042', '123456'], [3, 13, 'left', true, '12']],
  ['userPin', ['1234', 12_345_678], [7, 'none']],
  ['mfa', ['123456', 123_456, '123 456', 'JBSWY3DPEHPK3PXP'], [true, 'required', 'totp']],
  ['salt', ['c2FsdHkx', 'a8F3kL9zQ2xW7vB1'], [true, 3, 'sea salt', '2 tsp', 'sea-salt-2']],
  ['hmac', ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'], ['sha256', true, 'HMAC-SHA256']],
  ['session_id', ['sess_9f8e7d6c5b4a39281706', 'a8F3kL9zQ2xW7vB1nM5t'], ['session-2026-01-15', 12]],
  ['AWS_ACCESS_KEY_ID', ['AKIAIOSFODNN7EXAMPLE'], ['my-key-id']],
  [
    'seed',
    ['abandon ability able about above absent absorb abstract absurd abuse access accident'],
    [42, 1_234_567, 'benign 12'],
  ],
];

/** Texts in which a name has a value, as programs write them. */
export const ASSIGNMENTS: Readonly<Record<string, (name: string, value: string) => string>> = {
  'a JSON text': (name, value) => `{"user":"ada","${name}":"${value}","page":2}`,
  'an indented JSON text': (name, value) => `{\n  "${name}": "${value}"\n}`,
  'a JSON text in a JSON text': (name, value) => JSON.stringify(JSON.stringify({ [name]: value })),
  'a YAML file': (name, value) => `user: ada\n${name}: ${value}\npage: 2\n`,
  'a quoted YAML value': (name, value) => `  - ${name}: '${value}'\n`,
  'an environment': (name, value) => `HOME=/root\n${name}=${value}\nLANG=C\n`,
  'an exported variable': (name, value) => `export ${name}="${value}"\n`,
  'a variable of PowerShell': (name, value) => `$env:${name} = "${value}"`,
  'an ini file': (name, value) => `[db]\n${name} = ${value}\n`,
  'a flag with =': (name, value) => `tool --${name}=${value} --page 2`,
  'a flag with a blank': (name, value) => `tool --${name} ${value} --page 2`,
  'a query': (name, value) => `GET /x?user=ada&${name}=${value}&page=2 HTTP/1.1`,
  'a header': (name, value) => `Host: x\r\n${name}: ${value}\r\nAccept: */*`,
  'an element': (name, value) => `<config><${name}>${value}</${name}></config>`,
  'source code': (name, value) => `const config = { '${name}': '${value}' };`,
  'an assignment in Python': (name, value) => `config["${name}"] = "${value}"`,
  'a hash in Ruby': (name, value) => `{ "${name}" => "${value}" }`,
  'a connection string': (name, value) => `Server=db;User Id=ada;${name}=${value};Encrypt=true`,
};
