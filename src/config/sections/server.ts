/**
 * The `server` section: where `toolcrib serve` listens and who may connect. Only the user sets it: a
 * project must not decide who reaches the tools.
 */
import { z } from 'zod';
import {
  ALSO_WHEN_FAULTY,
  address,
  milliseconds,
  nonEmptyText,
  organisation,
  positiveCount,
  WHOLE,
} from './fields.ts';
import { optionalSetting, section, setting } from './setting.ts';

const hostName = z
  .string()
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, 'expected a host name without a port');

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && /^https?:/.test(text);

const origin = z
  .string()
  .refine(isOrigin, { error: 'expected an origin such as https://ops.example.com' });

const oidc = z.strictObject({
  issuer: optionalSetting(address(['https', 'http']), {
    about: 'The OpenID issuer whose JWTs are accepted beside tokens.',
    project: 'user',
  }),
  audience: optionalSetting(nonEmptyText, {
    about: 'The audience that a JWT must be meant for.',
    project: 'user',
  }),
  roleClaim: setting(nonEmptyText, {
    about: 'The claim of a JWT that holds the role: viewer, agent, operator or admin.',
    project: 'user',
    default: 'toolcrib_role',
  }),
  jwksUri: optionalSetting(address(['https', 'http']), {
    about: 'Where the keys of the issuer are; found by discovery when absent.',
    project: 'user',
  }),
});

const oidcFault = ({ issuer, audience }: z.output<typeof oidc>): string | undefined => {
  if ((issuer === undefined) === (audience === undefined)) return undefined;
  return issuer === undefined
    ? 'has an "audience" but no "issuer"; name the issuer whose JWTs are accepted'
    : 'has an "issuer" but no "audience"; a JWT that is meant for others must not be accepted';
};

export const serverSection = section(
  z.strictObject({
    host: setting(nonEmptyText, {
      about:
        'The address to listen on; one beyond this machine also needs allowedHosts and behindTls.',
      project: 'user',
      default: '127.0.0.1',
    }),
    port: setting(z.int().min(0).max(65_535), {
      about: 'The port to listen on; 0 takes any that is free.',
      project: 'user',
      default: 7420,
    }),
    allowedHosts: setting(z.array(hostName).max(100), {
      about: 'Host names under which the server may be called, besides those of this machine.',
      project: 'user',
      default: [],
    }),
    allowedOrigins: setting(z.array(origin).max(100), {
      about: 'Origins of web pages, besides the console, that may call the server.',
      project: 'user',
      default: [],
    }),
    publicUrl: optionalSetting(address(['https', 'http']), {
      about: 'Where the world reaches the server, for links and secure cookies.',
      project: 'user',
    }),
    behindTls: setting(z.boolean(), {
      about: 'true says that a proxy in front of the server speaks TLS.',
      project: 'user',
      default: false,
    }),
    console: setting(z.boolean(), {
      about: 'Serve the web console.',
      project: 'user',
      default: true,
    }),
    openMetrics: setting(z.boolean(), {
      about: 'Serve /metrics without a token to callers on this machine.',
      project: 'user',
      default: false,
    }),
    drainMs: setting(milliseconds, {
      about: 'Milliseconds that running calls are given to end when the server stops.',
      project: 'user',
      default: 20_000,
    }),
    maxBodyBytes: setting(positiveCount, {
      about: 'The largest body of a request.',
      project: 'user',
      default: 1_048_576,
    }),
    maxConnections: setting(positiveCount, {
      about: 'Connections at a time.',
      project: 'user',
      default: 2048,
    }),
    catalog: z
      .strictObject({
        org: optionalSetting(organisation, {
          about: 'The organisation whose catalog this server publishes; none when absent.',
          project: 'user',
        }),
        expiresDays: optionalSetting(z.number().positive().max(3650), {
          about: 'Days after which a bundle of the catalog is too old for its clients.',
          project: 'user',
        }),
        reviewers: optionalSetting(z.enum(['tokens', 'users']), {
          about:
            'Who counts as a person of a review: tokens when absent, or only users who log in over OpenID Connect.',
          project: 'user',
        }),
      })
      .describe('The catalog of tools and rules that this server publishes for a team.')
      .prefault({}),
    oidc: z.prefault(
      oidc
        .superRefine((value, context) => {
          const message = oidcFault(value);
          if (message !== undefined) context.addIssue({ code: 'custom', params: WHOLE, message });
        }, ALSO_WHEN_FAULTY)
        .describe('An OpenID issuer whose JWTs are accepted.'),
      {},
    ),
  }),
  'Where `toolcrib serve` listens and whom it lets in.',
);
