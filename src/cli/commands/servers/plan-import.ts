/** What an import would do: which servers are new, which are there already, which cannot be taken. */
import { isDeepStrictEqual } from 'node:util';
import { configShape } from '../../../config/document/read-config-shape.ts';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { layerProblems } from '../../../config/load/resolve-layers.ts';
import type { ServerDefinition } from '../../../config/mcp-import/foreign-server.ts';
import { type MovedSecret, moveSecrets } from '../../../config/mcp-import/move-secrets.ts';
import { mcpSection } from '../../../config/sections/sources/mcp.ts';
import type { SecretVault } from '../../../contract/secrets.ts';
import type { Io } from '../../io.ts';
import { secretDeps, vaultsIn } from '../secrets/secrets-deps.ts';
import type { FoundFile } from './find-imports.ts';
import { assertEditable, editServers, type ServerDeps } from './server-config.ts';

/** Writes planned servers into the configuration, and their secrets into the vault before that. */
export const openVaultOf = async (io: Io): Promise<SecretVault> => {
  const deps = await secretDeps(io);
  const { openVault } = await import('../../../crib/open-secrets.ts');
  return openVault(vaultsIn(deps)[0] ?? 'file', deps);
};

interface TakeDeps {
  readonly deps: ServerDeps;
  readonly vault: SecretVault;
  readonly inProject: boolean;
}

/** Returns the file that was changed. */
export const takeServers = async (
  io: Io,
  { deps, vault, inProject }: TakeDeps,
  servers: readonly Pick<PlannedServer, 'name' | 'definition' | 'secrets'>[],
): Promise<string> => {
  await assertEditable(io, deps, inProject);
  for (const { secrets } of servers) {
    for (const { key, value } of secrets) await vault.set(key, value);
  }
  const { file } = await editServers(io, deps, {
    inProject,
    change: async (path) => {
      const edits = [];
      for (const { name, definition } of servers) {
        edits.push(await setInConfigFile(path, ['mcp', 'servers', name], definition));
      }
      const [first, last] = [edits[0], edits.at(-1)];
      return first && last && { before: first.before, after: last.after };
    },
  });
  return file;
};

/** A definition in one layer may be part of a whole; this one has to stand by itself. */
const wholeFault = (servers: Readonly<Record<string, unknown>>): string | undefined =>
  mcpSection.safeParse({ servers }).error?.issues[0]?.message;

/** What our configuration does not allow about a server, before anything is written. Quotes no value. */
export const definitionFault = (name: string, definition: ServerDefinition): string | undefined => {
  const servers = JSON.parse(JSON.stringify({ [name]: definition })) as Record<string, unknown>;
  const [problem] = layerProblems(
    { path: '', value: { mcp: { servers } }, position: () => undefined },
    configShape(),
  );
  if (!problem) return wholeFault(servers);
  const at = problem.path.split('.').slice(3).join('.');
  return `${at === '' ? '' : `${at}: `}${problem.message}`;
};

export interface PlannedServer {
  readonly name: string;
  readonly foreignName: string;
  readonly file: string;
  readonly outcome: 'new' | 'same' | 'refused';
  /** Why it is refused. */
  readonly reason?: string;
  /** As it will be written; secrets are references. */
  readonly definition: ServerDefinition;
  /** What moves out of the definition; a value is never shown. */
  readonly secrets: readonly MovedSecret[];
  readonly notes: readonly string[];
}

export interface ImportPlan {
  readonly files: readonly FoundFile[];
  readonly servers: readonly PlannedServer[];
}

interface PlanDeps {
  readonly configured: Readonly<Record<string, unknown>>;
  /** The value of a secret that is kept already. */
  secret(key: string): Promise<string | undefined>;
}

/** Whether one is on or off is no difference. */
const comparable = (definition: unknown): unknown => {
  const { enabled: _switch, ...rest } = definition as ServerDefinition;
  return rest;
};

/** Another value under the same key belongs to somebody else. */
const secretFault = async (
  secrets: readonly MovedSecret[],
  { secret }: PlanDeps,
): Promise<string | undefined> => {
  for (const { key, value } of secrets) {
    const kept = await secret(key);
    if (kept !== undefined && kept !== value) return `another secret is kept as ${key}`;
  }
  return undefined;
};

class Planner {
  readonly #deps: PlanDeps;
  readonly #taken = new Map<string, ServerDefinition>();

  constructor(deps: PlanDeps) {
    this.#deps = deps;
  }

  /** `undefined`: nothing of this name yet. */
  #known(name: string): unknown {
    const { configured } = this.#deps;
    return (
      this.#taken.get(name) ?? (Object.hasOwn(configured, name) ? configured[name] : undefined)
    );
  }

  async plan(found: FoundFile): Promise<readonly PlannedServer[]> {
    const { servers = [], refused = [] } = found.reading ?? {};
    const planned: PlannedServer[] = refused.map(({ foreignName, reason }) => ({
      name: foreignName,
      foreignName,
      file: found.file,
      outcome: 'refused',
      reason,
      definition: {},
      secrets: [],
      notes: [],
    }));
    for (const server of servers) {
      const { name, foreignName } = server;
      const { definition, secrets, stuck } = moveSecrets(server);
      const notes = [...server.notes, ...stuck.map((at) => `${at} looks like a secret and stays`)];
      const base = { name, foreignName, file: found.file, definition, secrets, notes };
      planned.push({ ...base, ...(await this.#judge(name, definition, secrets)) });
    }
    return planned;
  }

  async #judge(
    name: string,
    definition: ServerDefinition,
    secrets: readonly MovedSecret[],
  ): Promise<Pick<PlannedServer, 'outcome' | 'reason'>> {
    const fault = definitionFault(name, definition) ?? (await secretFault(secrets, this.#deps));
    if (fault !== undefined) return { outcome: 'refused', reason: fault };
    const known = this.#known(name);
    if (known === undefined) {
      this.#taken.set(name, definition);
      return { outcome: 'new' };
    }
    return isDeepStrictEqual(comparable(known), comparable(definition))
      ? { outcome: 'same' }
      : { outcome: 'refused', reason: 'another server of this name is there already' };
  }
}

export const planImport = async (
  files: readonly FoundFile[],
  deps: PlanDeps,
): Promise<ImportPlan> => {
  const planner = new Planner(deps);
  const servers: PlannedServer[] = [];
  for (const found of files) servers.push(...(await planner.plan(found)));
  return { files, servers };
};
