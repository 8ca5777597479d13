/** The credentials of the test bed: what the source is configured with, and what its server expects. */
import { isObject } from './document.mjs';

const USERNAME = 'ada';

const hasClientCredentials = (scheme) =>
  scheme.type === 'oauth2' && isObject(scheme.flows?.clientCredentials);

/** Settings of `auth` and secrets for every scheme of a requirement. */
export const credentialSettings = (security, tokenUrl) => {
  const auth = {};
  const keys = {};
  security.forEach(({ name, scheme }, index) => {
    const key = `BED_${index}`;
    keys[key] = `bed-secret-${index}-w0rd`;
    if (hasClientCredentials(scheme)) {
      auth[name] = { clientId: 'bed client', clientSecret: key, tokenUrl };
    } else if (scheme.type === 'http' && /^basic$/i.test(scheme.scheme)) {
      auth[name] = { username: USERNAME, secret: key };
    } else auth[name] = { secret: key };
  });
  return { auth, keys };
};

/** The token that the bed's token endpoint issues for a client secret. */
export const tokenFor = (secret) => `token-of-${secret}`;

/** Checks a request for tokens: the client's name and secret, in the header or in the body. */
export const tokenReply = (headers, form, secrets) => {
  const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1];
  const [id, secret] = basic
    ? Buffer.from(basic, 'base64')
        .toString()
        .split(':')
        .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    : [form.get('client_id'), form.get('client_secret')];
  if (form.get('grant_type') !== 'client_credentials') return undefined;
  if (id !== 'bed client' || !secrets.includes(secret)) return undefined;
  return { access_token: tokenFor(secret), token_type: 'Bearer', expires_in: 3600 };
};

const expectedHeader = (scheme, secret) => {
  if (hasClientCredentials(scheme)) return `Bearer ${tokenFor(secret)}`;
  if (scheme.type !== 'http') return `Bearer ${secret}`;
  if (/^basic$/i.test(scheme.scheme)) {
    return `Basic ${Buffer.from(`${USERNAME}:${secret}`).toString('base64')}`;
  }
  return /^bearer$/i.test(scheme.scheme) ? `Bearer ${secret}` : undefined;
};

/** Says what is wrong with the credentials of a request; nothing when all are right. */
export const credentialFaults = (security, request, keys) =>
  security.flatMap(({ name, scheme }, index) => {
    const secret = keys[`BED_${index}`];
    if (scheme.type === 'apiKey') {
      const sent = request[scheme.in]?.(scheme.name);
      return sent === secret ? [] : [`the key ${name} is missing in the ${scheme.in}`];
    }
    const expected = expectedHeader(scheme, secret);
    const sent = request.header('authorization');
    return expected === undefined || sent === expected
      ? []
      : [
          `the credential ${name} is wrong: ${sent === undefined ? 'nothing was sent' : sent.split(' ')[0]}`,
        ];
  });

/** Names of query parameters that are credentials, not parameters. */
export const credentialNames = (security, place) =>
  security
    .filter(({ scheme }) => scheme.type === 'apiKey' && scheme.in === place)
    .map(({ scheme }) => scheme.name);
