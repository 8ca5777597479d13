/** Plans an import: which servers are new, already configured, or refused. Then writes the new ones. */
import { isDeepStrictEqual } from 'node:util';
import { configShape } from '../../../config/document/read-config-shape.ts';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { layerProblems } from '../../../config/load/resolve-layers.ts';
import type { ServerDefinition } from '../../../config/mcp-import/foreign-server.ts';
import { type MovedSecret, moveSecrets } from '../../../config/mcp-import/move-secrets.ts';
import { mcpSection } from '../../../config/sections/sources/mcp.ts';
import type { SecretVault } from '../../../contract/secrets.ts';
import type { Io } from '../../io.ts';
import { assertEditable, type ConfigDeps, editConfig } from '../../session/config-edit.ts';
import type { FoundFile } from './find-imports.ts';

interface TakeDeps {
  readonly deps: ConfigDeps;
  readonly vault: SecretVault;
  readonly inProject: boolean;
}

/** Writes secrets into the vault, then servers into the configuration. Returns the file that was changed. */
export const takeServers = async (
  io: Io,
  { deps, vault, inProject }: TakeDeps,
  servers: readonly Pick<PlannedServer, 'name' | 'definition' | 'secrets'>[],
): Promise<string> => {
  await assertEditable(io, deps, inProject);
  for (const { secrets } of servers) {
    for (const { key, value } of secrets) await vault.set(key, value);
  }
  const { file } = await editConfig(io, deps, {
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

/** Checks that a definition is complete; one layer of the configuration alone may hold a part of it. */
const wholeFault = (servers: Readonly<Record<string, unknown>>): string | undefined =>
  mcpSection.safeParse({ servers }).error?.issues[0]?.message;

/** Returns the reason why the configuration would refuse a server; quotes no value. */
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
  /** The reason of a refusal. */
  readonly reason?: string;
  /** The definition to write; secrets are references. */
  readonly definition: ServerDefinition;
  /** Secrets to move from the definition into the vault; values are never shown. */
  readonly secrets: readonly MovedSecret[];
  readonly notes: readonly string[];
}

export interface ImportPlan {
  readonly files: readonly FoundFile[];
  readonly servers: readonly PlannedServer[];
}

interface PlanDeps {
  readonly configured: Readonly<Record<string, unknown>>;
  /** Reads a stored secret. */
  secret(key: string): Promise<string | undefined>;
}

/** Leaves out whether a server is switched on, which does not make it a different server. */
const comparable = (definition: unknown): unknown => {
  const { enabled: _switch, ...rest } = definition as ServerDefinition;
  return rest;
};

/** Refuses to overwrite a secret that has another value. */
const secretFault = async (
  secrets: readonly MovedSecret[],
  { secret }: PlanDeps,
): Promise<string | undefined> => {
  for (const { key, value } of secrets) {
    const stored = await secret(key);
    if (stored !== undefined && stored !== value) return `another secret is stored as ${key}`;
  }
  return undefined;
};

class Planner {
  readonly #deps: PlanDeps;
  readonly #planned = new Map<string, ServerDefinition>();

  constructor(deps: PlanDeps) {
    this.#deps = deps;
  }

  /** Finds a server of that name, planned or configured. */
  #existing(name: string): unknown {
    const { configured } = this.#deps;
    return (
      this.#planned.get(name) ?? (Object.hasOwn(configured, name) ? configured[name] : undefined)
    );
  }

  async plan({ file, reading }: FoundFile): Promise<readonly PlannedServer[]> {
    const { servers = [], refused = [] } = reading ?? {};
    const planned: PlannedServer[] = refused.map(({ foreignName, reason }) => ({
      name: foreignName,
      foreignName,
      file,
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
      const base = { name, foreignName, file, definition, secrets, notes };
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
    const existing = this.#existing(name);
    if (existing === undefined) {
      this.#planned.set(name, definition);
      return { outcome: 'new' };
    }
    return isDeepStrictEqual(comparable(existing), comparable(definition))
      ? { outcome: 'same' }
      : { outcome: 'refused', reason: 'another server of this name is configured already' };
  }
}

export const planImport = async (
  files: readonly FoundFile[],
  deps: PlanDeps,
): Promise<ImportPlan> => {
  const planner = new Planner(deps);
  const servers: PlannedServer[] = [];
  for (const file of files) servers.push(...(await planner.plan(file)));
  return { files, servers };
};
