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
  recoveryCodes backupCodes seedPhrase mnemonic cvv sessid PHPSESSID`
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
};

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
