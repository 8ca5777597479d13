/** Opens the catalog that a server publishes: in the crib's store, signed with the user's key. */
import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import type { CallerNames } from '../../contract/caller.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { PublishedBundle, TeamEntry } from '../../contract/team.ts';
import {
  createTeamCatalog,
  type TeamPublisher,
} from '../../governance/team/create-team-catalog.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { lazySandboxes } from '../lazy-drivers.ts';
import { runIn } from '../sources/run-in-sandbox.ts';
import { openUserKey } from '../user-folder.ts';

export interface OpenCatalogDeps {
  readonly crib: Pick<CribHost, 'store'>;
  readonly config: Config;
  readonly runtime: Runtime;
  /** The user's folder, absolute. */
  readonly home: string;
}

/** Compiles the file of a tool; a module describes itself in a sandbox. */
const checkTool = async (
  { name, text }: Extract<TeamEntry, { kind: 'tool' }>,
  { config, runtime }: OpenCatalogDeps,
): Promise<readonly string[]> => {
  const [{ loadToolFiles }, { createCompileCache }] = await Promise.all([
    import('../../sources/custom/load-tool-files.ts'),
    import('../../sources/custom/compile-cache.ts'),
  ]);
  const sandboxes = lazySandboxes(runtime, config);
  try {
    const { tools, composed, problems } = await loadToolFiles({
      files: new Map([[name, new TextEncoder().encode(text)]]),
      cache: createCompileCache(undefined),
      runCode: runIn(sandboxes),
      defaultSandbox: config.sandbox.default,
    });
    if (composed.length > 0) return ['A team publishes no compositions of tools.'];
    if (problems.length === 0 && tools.length === 0) return ['The file holds no tool.'];
    return problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
  } finally {
    await sandboxes.close();
  }
};

const checkSettings = async (input: object): Promise<readonly string[]> => {
  const { parseConfig } = await import('../../config/load/parse-config.ts');
  try {
    parseConfig(input as never);
    return [];
  } catch (error) {
    return [reasonOf(error)];
  }
};

const checkEntry = async (entry: TeamEntry, deps: OpenCatalogDeps): Promise<readonly string[]> => {
  switch (entry.kind) {
    case 'tool':
      return checkTool(entry, deps);
    case 'source':
      return checkSettings({ sources: { [entry.type]: { [entry.name]: entry.settings } } });
    default:
      return [];
  }
};

/** Opens the catalog. Throws CONFIG_INVALID when the configuration names no organisation to publish for. */
export const openTeamCatalog = (deps: OpenCatalogDeps): TeamPublisher => {
  const { org, expiresDays, reviewers } = deps.config.server.catalog;
  if (org === undefined) {
    throw new ToolFailure('CONFIG_INVALID', 'This server publishes no catalog.', {
      suggestions: ['Name the organisation in your configuration: server.catalog.org.'],
    });
  }
  return createTeamCatalog({
    org,
    expiresDays,
    reviewers,
    runtime: deps.runtime,
    store: () => deps.crib.store(),
    key: lazyAsync(() => openUserKey(deps.home)),
    newId: () => randomUUID(),
    check: (entry) => checkEntry(entry, deps),
  });
};

/** Rotates the signing key, from the one in a file to the present one of the server. */
export const rotateTeamKey = async (
  deps: OpenCatalogDeps,
  file: string,
  by: CallerNames,
): Promise<PublishedBundle> => {
  const { readSigningKey } = await import('../../governance/signing/open-signing-key.ts');
  const before = await readSigningKey(file);
  if (before) return openTeamCatalog(deps).rotate(before, by);
  throw new ToolFailure('NOT_FOUND', `There is no key at ${file}.`, {
    suggestions: ['Give the path of the signing key that was used before.'],
  });
};
