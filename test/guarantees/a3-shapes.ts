/**
 * Credentials of many makers, put together from parts so that nothing in this repository looks like
 * one. Each line: whose it is, the text before that stays, the secret, the text after that stays.
 */

type Sample = readonly [maker: string, before: string, secret: string, after: string];

const mixed = (length: number): string => 'aZ3kQ9xW7pL2mN8r'.repeat(20).slice(0, length);
const hex = (length: number): string => '0a9b8c7d6e5f4321'.repeat(8).slice(0, length);
const upper = (length: number): string => 'Q7W2E9RTYUIOPASD'.repeat(8).slice(0, length);
const bare = (maker: string, secret: string): Sample => [maker, 'the key ', secret, ' is here'];

const pem = (kind: string): string =>
  `-----BEGIN ${kind}-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(8)}-----END ${kind}-----`;

export const SECRET_SAMPLES: readonly Sample[] = [
  bare('OpenAI', `sk-${mixed(48)}`),
  bare('OpenAI project', `sk-proj-${mixed(80)}`),
  bare('Anthropic', `sk-ant-api03-${mixed(90)}`),
  bare('Stripe', `sk_live_${mixed(24)}`),
  bare('Stripe restricted', `rk_test_${mixed(24)}`),
  bare('Stripe webhook', `whsec_${mixed(32)}`),
  bare('GitHub', `ghp_${mixed(36)}`),
  bare('GitHub server', `ghs_${mixed(36)}`),
  bare('GitHub fine-grained', `github_pat_${mixed(22)}_${mixed(59)}`),
  bare('GitLab', `glpat-${mixed(20)}`),
  bare('GitLab runner', `glrt-${mixed(20)}`),
  bare('Slack', `xoxb-${'1234567890'.repeat(2)}-${mixed(24)}`),
  bare('Slack app', `xapp-1-${upper(11)}-${'1234567890'}-${hex(32)}`),
  bare('AWS key id', `AKIA${upper(16)}`),
  bare('AWS temporary', `ASIA${upper(16)}`),
  bare('Google', `AIza${mixed(35)}`),
  bare('Google OAuth', `ya29.${mixed(60)}`),
  bare('Google client', `GOCSPX-${mixed(28)}`),
  bare('SendGrid', `SG.${mixed(22)}.${mixed(43)}`),
  bare('Twilio key', `SK${hex(32)}`),
  bare('Mailgun', `key-${hex(32)}`),
  bare('npm', `npm_${mixed(36)}`),
  bare('PyPI', `pypi-AgEIcHlwaS5vcmc${mixed(60)}`),
  bare('Hugging Face', `hf_${mixed(34)}`),
  bare('Groq', `gsk_${mixed(52)}`),
  bare('xAI', `xai-${mixed(80)}`),
  bare('Replicate', `r8_${mixed(37)}`),
  bare('DigitalOcean', `dop_v1_${hex(64)}`),
  bare('Shopify', `shpat_${hex(32)}`),
  bare('Docker', `dckr_pat_${mixed(27)}`),
  bare('Vault', `hvs.${mixed(30)}`),
  bare('Grafana', `glsa_${mixed(32)}_${hex(8)}`),
  bare('Linear', `lin_api_${mixed(40)}`),
  bare('Notion', `ntn_${mixed(46)}`),
  bare('Atlassian', `ATATT3${mixed(100)}`),
  bare('age', `AGE-SECRET-KEY-1${upper(58)}`),
  bare('Databricks', `dapi${hex(32)}`),
  bare('Supabase', `sbp_${hex(40)}`),
  bare('Postman', `PMAK-${hex(24)}-${hex(34)}`),
  bare('JWT', `eyJ${mixed(30)}.eyJ${mixed(60)}.${mixed(43)}`),
  bare('Discord bot', `MTE${mixed(22)}.${mixed(6)}.${mixed(30)}`),
  bare('RSA key', pem('RSA PRIVATE KEY')),
  bare('PKCS 8 key', pem('PRIVATE KEY')),
  bare('OpenSSH key', pem('OPENSSH PRIVATE KEY')),
  bare('PGP key', pem('PGP PRIVATE KEY BLOCK')),
  [
    'encrypted key',
    'key: ',
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${upper(16)}\n\n${'MIIE'.repeat(40)}\n-----END RSA PRIVATE KEY-----`,
    '',
  ],
  ['Telegram', 'bot 123456789:', `AA${mixed(33)}`, ' runs'],
  ['Azure application', 'secret abc', `8Q~${mixed(34)}`, ' end'],
  ['Azure storage', 'AccountName=me;AccountKey=', `${mixed(86)}==`, ';EndpointSuffix=x'],
  ['Azure bus', 'Name=root;SharedAccessKey=', `${mixed(43)}=`, ' end'],
  ['ADO.NET', 'Server=db;User Id=me;Password=', 'hunter2!', ';Encrypt=true'],
  ['AWS secret key', 'aws_secret_access_key = ', `${mixed(38)}/+`, '\nregion = eu'],
  ['AWS secret key in JSON', '"SecretAccessKey": "', `${mixed(38)}/+`, '",'],
  ['Twilio token', 'TWILIO_AUTH_TOKEN=', hex(32), '\n'],
  ['PostgreSQL', 'postgres://app:', 'hunter2!', '@db:5432/x'],
  ['MySQL', 'mysql://root:', 'p:w#1', '@localhost/db'],
  ['MongoDB', 'mongodb+srv://u:', 'p%40ss', '@cluster0.example.net/?retryWrites=true'],
  ['Redis without a user', 'redis://:', 'hunter2', '@cache:6379/0'],
  ['AMQP', 'amqps://guest:', 'guest1', '@mq//'],
  ['a password with an @', 'postgres://app:', 'p@ss', '@db/x'],
  ['Bearer', 'Authorization: Bearer ', mixed(32), '\nHost: x'],
  ['Bearer in JSON', '{"authorization":"Bearer ', `${mixed(20)}.${mixed(9)}`, '"}'],
  ['Bearer for curl', "curl -H 'authorization: bearer ", mixed(32), "' https://x"],
  ['Basic', 'Authorization: Basic ', 'dXNlcjpwYXNz', '\n'],
  ['header of a key', 'X-Api-Key: ', mixed(24), '\n'],
  ['query', 'https://x.example/?user=me&password=', 'hunter2', '&page=2'],
  ['token in a query', 'GET /cb?access_token=', mixed(20), '#top'],
  ['signed URL', 'https://s3.example/o?X-Amz-Date=1&X-Amz-Signature=', hex(64), ' x'],
  ['shared access', 'https://blob.example/c?sv=2024&sig=', 'a%2Bb%3D', '&se=2027'],
  ['npmrc', '//packages.example.com/:_authToken=', `${hex(8)}-${hex(20)}`, '\n'],
  [
    'Slack webhook',
    'https://hooks.slack.com/services/',
    `T${upper(8)}/B${upper(8)}/${mixed(24)}`,
    ' x',
  ],
  ['Discord webhook', 'https://discord.com/api/webhooks/123456789012345678/', mixed(68), ' x'],
];
