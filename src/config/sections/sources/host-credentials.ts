/**
 * The part `services.credentials`: which secret is sent to which host. It names secrets and holds
 * none. No project can set it: whoever writes it decides where secrets go.
 */
import { z } from 'zod';
import { ALSO_WHEN_FAULTY, nonEmptyText, WHOLE } from '../fields.ts';
import { described, optionalSetting, setting } from '../setting.ts';

/** A key that differs from the host of the address would never match, so it is refused. */
const isHost = (text: string): boolean => {
  if (!/^[a-z0-9.:[\]_-]+$/.test(text)) return false;
  const href = `https://${text}/`;
  return URL.canParse(href) && new URL(href).host === text && new URL(href).href === href;
};

const host = z.string().max(260).refine(isHost, {
  error:
    'expected a host as it stands in addresses, in lower case, with its port if it has one, e.g. api.example.com or 127.0.0.1:8080',
});

const credential = described(
  z
    .strictObject({
      secret: described(nonEmptyText.max(200), {
        about: 'The key under which the secret is kept; see toolcrib secrets set.',
        project: 'user',
      }),
      scheme: setting(z.enum(['bearer', 'basic', 'header']), {
        about:
          'How it is sent: Authorization: Bearer, Authorization: Basic as the password, or as a header of its own.',
        project: 'user',
        default: 'bearer',
      }),
      username: optionalSetting(
        z.string().regex(/^[^:\p{Cc}]{0,256}$/u, 'expected a user name without ":"'),
        { about: 'The user name for basic; empty when absent.', project: 'user' },
      ),
      header: optionalSetting(
        z
          .string()
          .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, 'expected the name of an HTTP header'),
        { about: 'The name of the header, for scheme header; e.g. X-Api-Key.', project: 'user' },
      ),
    })
    .superRefine(({ scheme, header, username }, context) => {
      const fault = (message: string): void =>
        context.addIssue({ code: 'custom', params: WHOLE, message });
      if (scheme === 'header' && header === undefined) fault('scheme header needs "header"');
      if (scheme !== 'header' && header !== undefined) fault('only scheme header has a "header"');
      if (scheme !== 'basic' && username !== undefined) fault('only scheme basic has a "username"');
    }, ALSO_WHEN_FAULTY),
  { about: 'The credential of one host, under the host.' },
);

export const hostCredentials = setting(z.record(host, credential), {
  about:
    'Secrets that rest_api_call and graphql_query send to single hosts, over https or to this machine only.',
  default: {},
});
