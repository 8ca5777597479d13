/**
 * The `services` section: where the services behind the shipped tools are reached. Credentials go to
 * these addresses, so no project can set them.
 */
import { z } from 'zod';
import { byProject } from '../../project-rule.ts';
import { ALSO_WHEN_FAULTY, address, WHOLE } from '../fields.ts';
import { hostCredentials } from './host-credentials.ts';

const isPlain = (text: string): boolean => {
  if (!URL.canParse(text)) return true;
  const { search, hash } = new URL(text);
  return search === '' && hash === '';
};

/** The tools add paths to it. */
const baseUrl = address(['http', 'https']).refine(isPlain, {
  error: 'expected an address without query and fragment',
});

const service = (name: string, usual: string) =>
  z
    .strictObject({
      baseUrl: baseUrl
        .describe(`Where ${name} is reached; its key is sent there.`)
        .meta(byProject('user'))
        .default(usual),
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
