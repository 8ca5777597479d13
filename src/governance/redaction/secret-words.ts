/** The vocabulary that names of secrets are made of. Data only; `secret-names.ts` is what uses it. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** Nouns for values that are secret whatever their type. Numbers under them are hidden too. */
export const PASSWORD_NOUNS = words(`
  password passwd passphrase passcode passwort kennwort contrasena senha wachtwoord heslo haslo
  jelszo pwd pw secret otp totp cvv cvc mnemonic`);

/** The same in other alphabets, anywhere in a name. */
export const FOREIGN_NOUNS = /парол|секретн|токен|密码|密碼|パスワード|비밀번호|סיסמ/i;

/** Nouns whose values are judged by their form: `pin: 3` is a place, `salt: true` a choice. */
export const MAYBE_NOUNS = words(
  'auth sid passkey pin mfa 2fa hmac salt seed pepper pat wif verifier assertion',
);

/** Nouns for values that are secret as text. Numbers under them are counts. */
export const TOKEN_NOUNS = words(`
  token credential cred creds cookie jwt bearer authorization pass apikey privatekey privkey secretkey
  accesskey authkey masterkey signingkey encryptionkey sshkey sharedkey sessid sshpass requirepass masterauth
  psk xprv`);

/** Words in one piece that end in one of these are the noun: `dbpassword`, `authtoken`. */
export const GLUED_ENDS = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'secret',
  'token',
  'apikey',
  'accesskey',
  'secretkey',
  'privatekey',
  'credential',
  'pwd',
  'sessid',
  'sessionid',
  'pw',
] as const;

/** Words in one piece that start with one of these are the noun and what is said of it. */
export const GLUED_STARTS = ['password', 'passwd', 'passphrase', 'apikey'] as const;

/** Words that look glued and are not. */
export const WHOLE_WORDS = words('passwordless sessionid oldpwd');

/** A key of one of these opens something. Other keys are judged by their value as well. */
export const SECRET_KEY_KINDS = words(`
  api access secret private priv auth encryption encrypt decryption decrypt signing master root admin
  ssh rsa dsa ecdsa ed25519 pgp gpg aes hmac jwt webhook deploy license licence subscription security
  shared account vault kms wallet consumer bot cipher crypto
  stripe openai anthropic claude aws azure gcp google gemini github gitlab bitbucket slack twilio
  sendgrid mailgun mailchimp postmark heroku datadog newrelic sentry algolia cloudflare digitalocean
  firebase supabase paypal braintree square shopify plaid segment mixpanel amplitude intercom zendesk
  hubspot salesforce okta auth0 huggingface cohere mistral groq replicate pinecone notion airtable
  linear discord telegram npm pypi docker vercel netlify pusher ably mapbox maps tavily perplexity
  deepseek openrouter elevenlabs serpapi brave exa jira atlassian adyen mollie`);

/** A key of one of these is a name, a place or a button. */
export const PLAIN_KEY_KINDS = words(`
  primary foreign public pub sort partition cache idempotency object query hot group index unique
  composite natural surrogate lookup map row column range translation i18n message event routing dedup
  deduplication issue project arrow modifier shift ctrl control alt meta enter escape tab return
  function short react item list field data json sql db table entity parent child session context
  storage registry config settings option env state slot bucket s3 blob file path socket`);

/** A token of one of these is a place in a list, a mark or a piece of text. */
export const PLAIN_TOKEN_KINDS = words(`
  next page continuation sync pagination cursor start starting resume delta skip progress stop eos bos
  pad padding unk mask sep cls special design color colour syntax lexer parser change input output
  prompt completion total max min num n cached reasoning avg average per used remaining budget
  previous prev first last end estimated count`);

/** What follows a noun and says that the value is about the secret, and not the secret. */
export const DESCRIBING = words(`
  count counts counter length size limit limits max min maximum minimum budget usage used total cost
  costs price rate quota policy policies rule rules strength type types kind format name names label
  title hint url uri endpoint host domain path file filename dir folder location ref refs reference
  id ids arn at date time timestamp ttl age expiry expires expiration expire in duration interval
  created updated modified changed change changes rotation rotated version manager provider store
  service scope scopes audience issuer status state enabled disabled required optional valid
  validation validator validity invalid missing exists present set field fields index position offset
  bucket window description docs doc about schema pattern regex requirements
  requirement columns column property properties per second minute day mode method strategy algorithm
  alg encoding charset error errors placeholder reset resets attempts
  tries consent banner settings options option config preference preferences user username email
  owner required items minlength maxlength ratio percent percentage stats summary 
  prefix delimiter separator board boards event events codes color colour icon theme variant`);

/** Several words that name a secret together. */
export const SECRET_PHRASES: readonly (readonly string[])[] = [
  ['seed', 'phrase'],
  ['recovery', 'phrase'],
  ['recovery', 'code'],
  ['recovery', 'key'],
  ['backup', 'code'],
  ['verification', 'code'],
  ['mfa', 'code'],
  ['auth', 'code'],
  ['authorization', 'code'],
  ['device', 'code'],
  ['one', 'time', 'code'],
  ['security', 'answer'],
  ['mot', 'passe'],
  ['mot', 'de', 'passe'],
  ['connect', 'sid'],
  ['x', 'auth'],
  ['shared', 'access', 'signature'],
  ['azure', 'storage', 'key'],
  ['security', 'code'],
  ['snmp', 'community'],
];

/** Several words for values that are judged by their form: identifiers that may open something. */
export const MAYBE_PHRASES: readonly (readonly string[])[] = [
  ['session', 'id'],
  ['sessionid'],
  ['access', 'key', 'id'],
  ['saml', 'response'],
  ['laravel', 'session'],
];

/** Values that stand for a value, or say that there is none. */
export const PLAIN_VALUES = words(`
  none null nil undefined true false yes no on off required optional include omit same-origin bearer
  basic digest string number boolean object unknown unset empty redacted hidden masked default
  bool str int bytes text any void never inherit`);
