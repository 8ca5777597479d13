/**
 * The `services` section: the addresses of the services behind the shipped tools, and the secrets that
 * are sent to single hosts (by name). Both decide where credentials go, so no project can set them.
 */
import { z } from 'zod';
import { byProject } from '../../project-rule.ts';
import { ALSO_WHEN_FAULTY, address, nonEmptyText, WHOLE } from '../fields.ts';
import { described, optionalSetting, setting } from '../setting.ts';

/** Recognises a host as `URL` writes it; any other spelling would never match. */
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

const hostCredentials = setting(z.record(host, credential), {
  about:
    'Secrets that rest_api_call and graphql_query send to single hosts, over https or to this machine only.',
  default: {},
});

const isPlain = (text: string): boolean => {
  if (!URL.canParse(text)) return true;
  const { search, hash } = new URL(text);
  return search === '' && hash === '';
};

const baseUrl = address(['http', 'https']).refine(isPlain, {
  error: 'expected an address without query and fragment',
});

const service = (name: string, defaultUrl: string) =>
  z
    .strictObject({
      baseUrl: baseUrl
        .describe(`Where ${name} is reached; its key is sent there.`)
        .meta(byProject('user'))
        .default(defaultUrl),
    })
    .describe(`${name}.`)
    .prefault({});

const search = z
  .strictObject({
    provider: z
      .enum(['brave', 'searxng'])
      .describe('Who searches for web_search: Brave Search, or a SearXNG of your own.')
      .meta(byProject('user'))
      .default('brave'),
    baseUrl: baseUrl
      .exactOptional()
      .describe('Where the provider is reached; needed for searxng, Brave’s own when absent.')
      .meta(byProject('user')),
  })
  .superRefine((value, context) => {
    if (value.provider !== 'searxng' || value.baseUrl !== undefined) return;
    const message = 'searxng needs "baseUrl", the address of your instance';
    context.addIssue({ code: 'custom', params: WHOLE, message });
  }, ALSO_WHEN_FAULTY)
  .describe('The search behind web_search.')
  .prefault({});

const postgresHost = z
  .string()
  .regex(/^[^\s\p{C}/@*]{1,255}$/u, 'expected a host name or an address, e.g. db.example.com:5432');

export const servicesSection = z
  .strictObject({
    stripe: service('Stripe', 'https://api.stripe.com'),
    sendgrid: service('SendGrid', 'https://api.sendgrid.com'),
    vercel: service('Vercel', 'https://api.vercel.com'),
    supabase: z
      .strictObject({
        baseUrl: baseUrl
          .exactOptional()
          .describe('Your project at Supabase; the secret SUPABASE_URL names it when absent.')
          .meta(byProject('user')),
      })
      .describe('Supabase.')
      .prefault({}),
    postgres: z
      .strictObject({
        hosts: z
          .array(postgresHost)
          .max(100)
          .describe(
            'PostgreSQL servers that query_database may reach with DATABASE_URL: localhost for a socket; a private one must be in egress.allowPrivate, too.',
          )
          .meta(byProject('subset'))
          .default([]),
      })
      .describe('PostgreSQL.')
      .prefault({}),
    search,
    credentials: hostCredentials,
  })
  .describe('Where the services behind the shipped tools are reached.')
  .prefault({});
