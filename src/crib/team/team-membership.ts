/** The membership of a client, for the command line: enrol, sync, show, leave. */
import { z } from 'zod';
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { TeamCatalog, TeamClient, TeamKey } from '../../contract/team.ts';
import { isPublicKey } from '../../governance/signing/verify-signature.ts';
import { openTeamClient } from '../../governance/team/create-team-client.ts';
import { fingerprintOf, orgSchema } from '../../governance/team/team-bundle.ts';
import type { TeamRecord } from '../../governance/team/team-files.ts';
import { isLoopback } from '../../kit/http/loopback.ts';
import { parseUrl } from '../../kit/http/parse-url.ts';
import { createSecretChain } from '../../secrets/chain.ts';
import { openRedactor } from '../lazy-drivers.ts';
import { openSecrets } from '../open-secrets.ts';
import { catalogFetch, configuredTeam, type Enrolment, teamFiles, teamToken } from './open-team.ts';
import { createRemoteCatalog } from './remote-catalog.ts';

export interface MembershipDeps {
  readonly config: Config;
  readonly runtime: Runtime;
  /** The user's folder, absolute. */
  readonly home: string;
  /** The variables that may hold the token. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Refuses an address over which the token could be read by others. */
export const assertCatalogUrl = (text: string): string => {
  const url = parseUrl(text);
  const isSafe =
    url && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)));
  if (url && isSafe && url.username === '' && url.password === '') return url.origin;
  throw new ToolFailure('VALIDATION_ERROR', 'The address of the catalog has to be https.', {
    suggestions: ['Give it without a user name, e.g. https://tools.example.com.'],
  });
};

const tokenOf = async (deps: MembershipDeps): Promise<() => Promise<string>> => {
  const secrets = createSecretChain(openSecrets(deps));
  return teamToken({ ...deps, secrets, redactor: await openRedactor(deps.config) });
};

/** Runs work with the catalog of another server. */
export const withRemoteCatalog = async <T>(
  url: string,
  deps: MembershipDeps,
  work: (catalog: TeamCatalog) => Promise<T>,
): Promise<T> => {
  const { fetch, close } = catalogFetch(url, deps.config);
  try {
    return await work(createRemoteCatalog({ url, fetch, token: await tokenOf(deps) }));
  } finally {
    await close();
  }
};

const keySchema = z.object({ org: orgSchema, publicKey: z.string().refine(isPublicKey) });

/** Asks a server for its key. The fingerprint is computed here, not believed. */
export const fetchTeamKey = (url: string, deps: MembershipDeps): Promise<TeamKey> =>
  withRemoteCatalog(url, deps, async (catalog) => {
    const parsed = keySchema.safeParse(await catalog.key());
    if (!parsed.success) {
      throw new ToolFailure('SERVER_ERROR', 'The server gave no key of a catalog.', {
        suggestions: ['Check the address: it has to be a Toolcrib server with server.catalog.org.'],
      });
    }
    const { org, publicKey } = parsed.data;
    return { org, publicKey, fingerprint: fingerprintOf(publicKey) };
  });

/** Tells whether what a person was given by the team names this key: fingerprint or the key itself. */
export const isKeyNamed = ({ publicKey, fingerprint }: TeamKey, given: string): boolean =>
  given === publicKey ||
  given.replaceAll(':', '').toLowerCase() === fingerprint.replaceAll(':', '');

/** Runs work with the client of an enrolment. */
export const withTeamClient = async <T>(
  enrolment: Enrolment,
  deps: MembershipDeps,
  work: (client: TeamClient) => Promise<T>,
): Promise<T> => {
  const { fetch, close } = catalogFetch(enrolment.url, deps.config);
  const { runtime } = deps;
  const token = await tokenOf(deps);
  try {
    const files = teamFiles(deps);
    return await work(await openTeamClient({ ...enrolment, files, runtime, fetch, token }));
  } finally {
    await close();
  }
};

/** Returns the enrolment: the one on record, or that of the configuration. */
export const currentEnrolment = async (deps: MembershipDeps): Promise<Enrolment | undefined> =>
  (await recordedTeam(deps)) ?? configuredTeam(deps.config);

/** Reads the recorded enrolment; `undefined` when there is none, or it was tampered with. */
export const recordedTeam = async (deps: MembershipDeps): Promise<TeamRecord | undefined> => {
  const reading = await teamFiles(deps).record();
  return reading.state === 'good' ? reading.record : undefined;
};

/** Tells whether there is a team to leave, one with a tampered record included. */
export const hasTeam = async (deps: MembershipDeps): Promise<boolean> =>
  deps.config.teams.enabled || (await teamFiles(deps).record()).state !== 'missing';

export const forgetTeam = (deps: MembershipDeps): Promise<void> => teamFiles(deps).remove();
