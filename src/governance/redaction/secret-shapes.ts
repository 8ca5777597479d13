/**
 * What well-known credentials look like. Data only; `shape-finder.ts` is what uses it. Every shape is
 * anchored by a literal start and has bounded, unnested repetition, so that the search stays linear.
 */
import { MAKER_TOKENS } from './maker-tokens.ts';

export interface SecretShape {
  /** The literal texts it starts with, exact; one of them is looked for before any pattern runs. */
  readonly starts: readonly string[];
  /** What goes before the secret and is kept, from the start on. Without it the start is secret too. */
  readonly lead?: string;
  /** The secret. */
  readonly body: string;
  /** May follow a letter or digit: no word has this start. Otherwise `task-…` would be an `sk-…`. */
  readonly inside?: true;
  /** Is found with line breaks in it too: no word has its start. */
  readonly wraps?: true;
}

/** No shape is shorter than this, so short strings need no search. */
export const MIN_SHAPE_LENGTH = 8;

/** Values that stand for a value: `${TOKEN}`, `{{token}}`, `<token>`, `***`, and what we wrote ourselves. */
const REAL = '(?!\\$|\\{|<|\\*\\*|\\[REDACTED)';
/** Words are no token: there is a digit, or it is long. */
const TOKEN = '(?=[^\\s"\']{0,64}\\d|[^\\s"\']{24})';
const DIGIT = '(?=[A-Za-z0-9_-]{0,200}\\d)';
const END = '(?![A-Za-z0-9])';
const PEM_HEADERS = '(?:\\s{1,4}(?:Proc-Type|DEK-Info): [^\\n]{1,100}){0,2}';
const ASSIGNED = '["\'\\s]{0,3}[:=]["\'\\s]{0,4}';

/** At least as long as an HMAC-SHA256, which is the shortest there is, if what follows allows it. */
const WRAPPED_SIGNATURE =
  '(?:[A-Za-z0-9_-]{43,1000}|(?:[A-Za-z0-9_-]\\s{0,8}){43}|[A-Za-z0-9_-]{8,42})';

const QUERY_NAMES = [
  'password',
  'passwd',
  'pwd',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'auth_token',
  'api[_-]?key',
  'secret',
  'client_secret',
  'sig',
  'signature',
  'x-amz-signature',
  'x-amz-security-token',
  'x-goog-signature',
].join('|');

/** Anything an item of a query may start with. */
const QUERY_STARTS = [...'?&'].flatMap((mark) =>
  [...'patrisxcPATRISXC'].map((letter) => `${mark}${letter}`),
);

/** Tokens that carry their maker's name in front. */
const PREFIXED: readonly SecretShape[] = [
  { starts: ['sk-'], body: `sk-${DIGIT}[A-Za-z0-9_-]{20,250}` },
  // Those with more than a start to know them by are found after a letter too.
  {
    starts: ['sk-ant-'],
    body: 'sk-ant-(?:api|admin|oat|ort|sid)\\d{2}-[A-Za-z0-9_-]{24,250}',
    inside: true,
  },
  {
    starts: ['sk-'],
    body: 'sk-[A-Za-z0-9_-]{16,120}T3BlbkFJ[A-Za-z0-9_-]{16,120}',
    inside: true,
  },
  { starts: ['sk-or-v1-'], body: `sk-or-v1-[a-f0-9]{64}${END}`, inside: true },
  {
    starts: ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'pk_live_', 'pk_test_'],
    body: '[a-z]{2}_[a-z]{4}_[A-Za-z0-9]{16,250}',
    inside: true,
  },
  { starts: ['whsec_'], body: 'whsec_[A-Za-z0-9+/]{24,100}' },
  {
    starts: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    body: 'gh[pousr]_[A-Za-z0-9]{36,255}',
    inside: true,
  },
  { starts: ['github_pat_'], body: 'github_pat_[A-Za-z0-9_]{22,255}', inside: true },
  {
    starts: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glft-', 'glsoat-'],
    body: 'gl[a-z]{2,4}-[A-Za-z0-9_.-]{20,100}',
  },
  { starts: ['glpat-'], body: `glpat-${DIGIT}[A-Za-z0-9_.-]{20,100}`, inside: true },
  {
    starts: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-'],
    body: 'x[a-z]{3}-[A-Za-z0-9-]{10,250}',
  },
  { starts: ['xoxb-', 'xoxp-'], body: 'xox[bp]-\\d{8,16}-[A-Za-z0-9-]{10,250}', inside: true },
  { starts: ['AKIA', 'ASIA'], body: `A[KS]IA[A-Z0-9]{16}${END}` },
  { starts: ['AIza'], body: 'AIza[A-Za-z0-9_-]{35}' },
  { starts: ['ya29.'], body: 'ya29\\.[A-Za-z0-9_-]{20,1000}' },
  { starts: ['GOCSPX-'], body: 'GOCSPX-[A-Za-z0-9_-]{28}' },
  { starts: ['SG.'], body: 'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}' },
  { starts: ['SK'], body: `SK[0-9a-f]{32}${END}` },
  { starts: ['key-'], body: `key-[0-9a-f]{32}${END}` },
  { starts: ['npm_'], body: `npm_[A-Za-z0-9]{36}${END}` },
  { starts: ['pypi-Ag'], body: 'pypi-Ag[A-Za-z0-9_-]{40,500}' },
  { starts: ['hf_', 'api_org_'], body: `(?:hf|api_org)_[A-Za-z0-9]{30,60}${END}` },
  { starts: ['gsk_'], body: 'gsk_[A-Za-z0-9]{40,80}' },
  { starts: ['xai-', 'pplx-', 'tvly-'], body: `[a-z]{3,4}-${DIGIT}[A-Za-z0-9]{20,120}` },
  { starts: ['r8_'], body: `r8_[A-Za-z0-9]{37}${END}` },
  {
    starts: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    body: `do[opr]_v1_[a-f0-9]{64}${END}`,
  },
  {
    starts: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    body: `shp[a-z]{2}_[a-fA-F0-9]{32}${END}`,
  },
  { starts: ['dckr_pat_'], body: 'dckr_pat_[A-Za-z0-9_-]{20,60}', inside: true },
  { starts: ['hvs.', 'hvb.'], body: 'hv[sb]\\.[A-Za-z0-9_-]{24,300}' },
  { starts: ['glsa_'], body: 'glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}' },
  { starts: ['lin_api_'], body: 'lin_api_[A-Za-z0-9]{40}', inside: true },
  { starts: ['ntn_'], body: 'ntn_[A-Za-z0-9]{40,60}' },
  { starts: ['ATATT3'], body: 'ATATT3[A-Za-z0-9_=-]{50,300}' },
  { starts: ['AGE-SECRET-KEY-1'], body: 'AGE-SECRET-KEY-1[A-Z0-9]{58}' },
  { starts: ['dapi'], body: `dapi[a-f0-9]{32}${END}` },
  { starts: ['sbp_'], body: `sbp_[a-f0-9]{40}${END}` },
  { starts: ['PMAK-'], body: 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}' },
];

/** Shapes known by their inside. */
const STRUCTURED: readonly SecretShape[] = [
  {
    starts: ['eyJ'],
    body: 'eyJ[A-Za-z0-9_-]{8,2000}\\.eyJ[A-Za-z0-9_-]{8,4000}\\.[A-Za-z0-9_-]{8,1000}',
  },
  // The same, wrapped by a terminal or a mail program: blanks and line breaks anywhere in it.
  {
    starts: ['eyJ'],
    body: `eyJ[A-Za-z0-9_\\-\\s]{8,2400}\\.\\s{0,8}eyJ[A-Za-z0-9_\\-\\s]{8,4800}\\.\\s{0,8}${WRAPPED_SIGNATURE}`,
  },
  // The encrypted kind has five parts, and only its header is JSON.
  {
    starts: ['eyJ'],
    body: 'eyJ[A-Za-z0-9_-]{8,2000}\\.[A-Za-z0-9_-]{0,1000}\\.[A-Za-z0-9_-]{8,100}\\.[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{8,100}',
  },
  {
    starts: ['-----BEGIN '],
    // The class has no dash, so that a text full of beginnings costs no more than its length.
    body: `-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----${PEM_HEADERS}[A-Za-z0-9+/=\\s:,.]{16,12000}(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?`,
    inside: true,
  },
  // A Telegram bot's token; the number before the colon is its public name.
  { starts: [':AA'], lead: '(?<=[0-9]{8,10}):', body: `AA[A-Za-z0-9_-]{33}${END}`, inside: true },
  // A Discord bot's token starts with its number in base64, hence with one of these.
  {
    starts: ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'],
    body: '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}',
  },
  // A token of Terraform Cloud; its number before it is public.
  { starts: ['.atlasv1.'], body: '\\.atlasv1\\.[A-Za-z0-9_-]{60,80}', inside: true },
  // The client secret of an Azure application.
  { starts: ['8Q~', '7Q~'], body: '[78]Q~[A-Za-z0-9_.~-]{31,34}', inside: true },
];

/** Secrets that are known by what stands before them, which is kept. */
const INTRODUCED: readonly SecretShape[] = [
  // Userinfo of a URL or connection string; a password may hold an `@` of its own.
  {
    starts: ['://'],
    lead: '://[^\\s:/@"\'<>]{0,128}:',
    body: `${REAL}[^\\s/"'<>]{1,256}(?=@)`,
    inside: true,
  },
  // A token alone in the place of user and password, and as the user with a word as its password.
  {
    starts: ['://'],
    lead: '://',
    body: `(?=[A-Za-z0-9_-]{0,200}\\d)[A-Za-z0-9_-]{20,255}(?=(?::[A-Za-z-]{0,32})?@)`,
    inside: true,
  },
  // user/password@host of Oracle, user:password@tcp(host) of Go.
  {
    starts: ['thin:'],
    lead: 'thin:[^\\s/@"\']{1,64}/',
    body: `${REAL}[^\\s/@"']{1,128}(?=@)`,
    inside: true,
  },
  // .netrc
  {
    starts: ['login '],
    lead: 'login\\s{1,4}\\S{1,128}\\s{1,8}password\\s{1,4}',
    body: `${REAL}\\S{1,256}`,
  },
  {
    starts: ['PASSWORD ', 'password ', 'Password ', 'IDENTIFIED BY ', 'identified by '],
    lead: '(?:password|identified by)\\s{1,4}(?=[\'"])[\'"]',
    body: `${REAL}[^\\s'"]{1,256}(?=['"])`,
  },
  // crypt(3) and its successors: a hash of a password can be guessed at leisure.
  {
    starts: ['$2a$', '$2b$', '$2y$'],
    body: '\\$2[aby]\\$\\d\\d\\$[./A-Za-z0-9]{53}',
    inside: true,
  },
  {
    starts: ['$1$', '$5$', '$6$', '$y$'],
    body: '\\$(?:1|5|6|y)\\$[./A-Za-z0-9=$]{20,200}',
    inside: true,
  },
  { starts: ['$argon2'], body: '\\$argon2(?:id|i|d)\\$[A-Za-z0-9+/=,$]{30,300}', inside: true },
  {
    starts: ['uthorization', 'UTHORIZATION'],
    lead: `uthorization${ASSIGNED}(?:Basic|Digest|Token|Bot|ApiKey|AWS4-HMAC-SHA256)\\s{1,4}`,
    body: `${REAL}[^\\s"',;]{6,4096}`,
    inside: true,
  },
  {
    starts: ['Bearer ', 'bearer ', 'BEARER '],
    lead: 'bearer\\s{1,4}',
    body: `${REAL}${TOKEN}[A-Za-z0-9._~+/=-]{8,4096}`,
    wraps: true,
  },
  {
    starts: ['-api-key', '-Api-Key', '-API-KEY', '-API-Key'],
    lead: `-api-key${ASSIGNED}`,
    body: `${REAL}${TOKEN}[^\\s"',;]{8,1024}`,
    inside: true,
  },
  {
    starts: QUERY_STARTS,
    lead: `[?&](?:${QUERY_NAMES})=`,
    body: `${REAL}[^&\\s"'#<>]{3,2048}`,
    inside: true,
  },
  {
    starts: [';P', ';p', ';A', ';a', ';S', ';s', '; P', '; p'],
    lead: ';\\s?(?:password|pwd|accountkey|sharedaccesskey|sharedsecret)\\s?=\\s?',
    body: `${REAL}[^;\\s"'&]{3,512}`,
    inside: true,
  },
  {
    starts: ['_authToken=', '_password=', '_auth='],
    lead: '_(?:authToken|password|auth)=\\s?"?',
    body: `${REAL}[^\\s"']{8,1024}`,
    inside: true,
  },
  {
    starts: [
      'aws_secret_access_key',
      'AWS_SECRET_ACCESS_KEY',
      'SecretAccessKey',
      'secretAccessKey',
    ],
    lead: `(?:aws_)?secret_?access_?key${ASSIGNED}`,
    body: '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])',
    inside: true,
  },
  // The secret key in the column beside its key id, as in the file that AWS lets one download.
  {
    starts: ['AKIA', 'ASIA'],
    lead: 'A[KS]IA[A-Z0-9]{16}["\'\\s,;:|]{1,8}',
    body: '[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])',
  },
  {
    starts: ['TWILIO_AUTH_TOKEN', 'twilio_auth_token'],
    lead: `twilio_auth_token${ASSIGNED}`,
    body: `[0-9a-f]{32}${END}`,
    inside: true,
  },
  {
    starts: ['hooks.slack.com/'],
    lead: 'hooks\\.slack\\.com/(?:services|workflows|triggers)/',
    body: '[A-Za-z0-9/_-]{20,200}',
    inside: true,
  },
  {
    starts: ['webhook.office.com/', 'hooks.zapier.com/'],
    lead: '(?:webhook\\.office\\.com/webhookb2|hooks\\.zapier\\.com/hooks/catch)/',
    body: '[A-Za-z0-9@/_-]{10,300}',
    inside: true,
  },
  {
    starts: ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    lead: 'discord(?:app)?\\.com/api/webhooks/[0-9]{10,25}/',
    body: '[A-Za-z0-9_-]{40,120}',
    inside: true,
  },
];

export const SECRET_SHAPES: readonly SecretShape[] = [
  ...PREFIXED.map((shape) => ({ ...shape, wraps: true as const })),
  ...MAKER_TOKENS.map(([, starts, body]) => ({ starts, body, wraps: true as const })),
  ...STRUCTURED,
  ...INTRODUCED,
];
