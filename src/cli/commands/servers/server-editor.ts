/**
 * Changes the MCP servers of the configuration for the console, with the checks of the commands
 * `servers add`, `remove` and `import`. Nothing is started: a change counts from the next start.
 */
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, formatProblem } from '../../../config/config-error.ts';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import type { ServerDefinition } from '../../../config/mcp-import/foreign-server.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Tier } from '../../../contract/tool.ts';
import { digestOf } from '../../../kit/data/canonical-json.ts';
import type {
  ConfiguredServer,
  ImportOffer,
  NewServer,
  ServerChange,
  ServerEditor,
} from '../../../surfaces/http/server-editor.ts';
import type { Io, OpenCrib } from '../../io.ts';
import { findImports } from './find-imports.ts';
import { reachText } from './import-page.ts';
import { openVaultOf, type PlannedServer, planImport, takeServers } from './plan-import.ts';
import {
  editServers,
  isOfProject,
  openServerDeps,
  requireServer,
  type ServerDeps,
  type ServerSettings,
  settingsOf,
} from './server-config.ts';
import { removeServer } from './servers-remove.ts';

type Open = Pick<OpenCrib, 'crib' | 'loaded'>;

interface EventDetails {
  /** Who made the change. */
  readonly by: string;
  readonly tier?: Tier;
}

/** Turns bad configuration into a failure; it names files and settings, never a value. */
const asToolFailure = (error: unknown): unknown =>
  error instanceof ConfigError
    ? new ToolFailure('CONFIG_INVALID', 'The configuration cannot be changed as it is.', {
        suggestions: error.problems.map(formatProblem),
      })
    : error;

const refused = (reason: string | undefined): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'This server cannot be configured.', {
    suggestions: [`Change it: ${reason ?? 'it is not complete'}`],
  });

const nameTaken = (name: string): ToolFailure =>
  new ToolFailure('CONFLICT', `There is a server ${name} already.`, {
    suggestions: ['Choose another name.'],
  });

const changedMeanwhile = (): ToolFailure =>
  new ToolFailure('CONFLICT', 'The server has changed since it was shown. Nothing was changed.', {
    suggestions: ['Look at the list again.'],
    retryable: false,
  });

/** Shows how a server is reached, with secrets hidden as in the list of an import. */
const reachOf = (settings: ServerSettings): string =>
  reachText({ definition: settings as ServerDefinition });

const notesOf = ({ notes, secrets }: PlannedServer): readonly string[] => [
  ...secrets.map(({ from, key }) => `${from} looks like a secret: stored as ${key}`),
  ...notes,
];

/** Leaves out the values of secrets, which could be guessed from a digest. */
const offerDigest = ({ name, file, definition, secrets }: PlannedServer): string =>
  digestOf([name, file, definition, secrets.map(({ key, from }) => [key, from])]);

const offerOf = (server: PlannedServer, client: string | undefined): ImportOffer => ({
  name: server.name,
  ...(client !== undefined && { client }),
  file: server.file,
  outcome: server.outcome,
  ...(server.reason !== undefined && { reason: server.reason }),
  ...(server.outcome !== 'refused' && { reach: reachText(server) }),
  secrets: server.secrets.map(({ from }) => from),
  notes: server.notes,
  digest: offerDigest(server),
});

class Editor implements ServerEditor {
  readonly #io: Io;
  readonly #open: Open;
  /** The change under way: two at once would overwrite each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(io: Io, open: Open) {
    // Keeps commands from printing: the HTTP answer says it.
    this.#io = { ...io, json: true };
    this.#open = open;
  }

  list(): Promise<readonly ConfiguredServer[]> {
    return this.#inTurn(() => this.#list());
  }

  async #list(): Promise<readonly ConfiguredServer[]> {
    const deps = await openServerDeps(this.#io);
    const now = deps.loaded.config.mcp.servers;
    const started = this.#open.loaded.config.mcp.servers;
    const names = [...new Set([...Object.keys(now), ...Object.keys(started)])].sort();
    return names.flatMap((name) => {
      const settings = settingsOf(deps, name);
      const before = Object.hasOwn(started, name) ? started[name] : undefined;
      const shown = settings ?? before;
      if (!shown) return [];
      const isChanged = !isDeepStrictEqual(settings, before);
      const pending = settings === undefined ? 'removed' : before ? 'changed' : 'added';
      return [
        {
          name,
          reach: reachOf(shown),
          ...(shown.tier && { tier: shown.tier }),
          isOfProject: settings !== undefined && isOfProject(deps, name),
          ...(isChanged && { pending: pending as NonNullable<ConfiguredServer['pending']> }),
        },
      ];
    });
  }

  async add({ name, tier, ...given }: NewServer, by: string): Promise<ServerChange> {
    if ((given.command === undefined) === (given.url === undefined)) {
      throw refused('give either a program to start or an address');
    }
    if (given.url !== undefined && (given.args?.length || Object.keys(given.env ?? {}).length)) {
      throw refused('arguments and variables are for a program to start');
    }
    const definition = JSON.parse(JSON.stringify(given)) as ServerDefinition;
    return this.#inTurn(async () => {
      const deps = await openServerDeps(this.#io);
      if (settingsOf(deps, name)) throw nameTaken(name);
      const vault = await openVaultOf(this.#io);
      const server = { name, foreignName: name, definition, notes: [] };
      const reading = { servers: [server], refused: [], lists: [], isOurs: false };
      const file = { client: undefined, file: '', isProject: false, text: '', reading };
      const secret = (key: string) => vault.get(key);
      const plan = await planImport([file], { configured: {}, secret });
      const [planned] = plan.servers;
      if (planned?.outcome !== 'new') throw refused(planned?.reason);
      const withTier = { ...planned, definition: { ...planned.definition, ...(tier && { tier }) } };
      await takeServers(this.#io, { deps, vault, inProject: false }, [withTier]);
      await this.#record('server.added', name, { by });
      return { servers: [name], notes: notesOf(planned) };
    });
  }

  remove(name: string, by: string): Promise<ServerChange> {
    return this.#inTurn(async () => {
      await removeServer(this.#io, name);
      await this.#record('server.removed', name, { by });
      return { servers: [name], notes: [] };
    });
  }

  setTier(name: string, tier: Tier, by: string): Promise<ServerChange> {
    return this.#inTurn(async () => {
      const deps = await openServerDeps(this.#io);
      await requireServer(deps, name);
      if (isOfProject(deps, name)) {
        throw new ToolFailure('PERMISSION_DENIED', 'This server belongs to the project.', {
          suggestions: ['Edit .toolcrib/config.yml of the project by hand.'],
        });
      }
      await editServers(this.#io, deps, {
        inProject: false,
        change: (file) => setInConfigFile(file, ['mcp', 'servers', name, 'tier'], tier),
      });
      await this.#record('server.changed', name, { by, tier });
      return { servers: [name], notes: [] };
    });
  }

  offers(): Promise<readonly ImportOffer[]> {
    return this.#inTurn(async () => {
      const { planned, clientOf } = await this.#plan(await openServerDeps(this.#io));
      return planned.map((server) => offerOf(server, clientOf(server)));
    });
  }

  take(wanted: Parameters<ServerEditor['take']>[0], by: string): Promise<ServerChange> {
    return this.#inTurn(async () => {
      const deps = await openServerDeps(this.#io);
      const { planned, vault } = await this.#plan(deps);
      const chosen = wanted.map(({ name, digest }) => {
        const server = planned.find((each) => each.name === name && each.outcome === 'new');
        if (server && offerDigest(server) === digest) return server;
        throw changedMeanwhile();
      });
      await takeServers(this.#io, { deps, vault, inProject: false }, [...new Set(chosen)]);
      for (const { name } of chosen) await this.#record('server.added', name, { by });
      return { servers: chosen.map(({ name }) => name), notes: chosen.flatMap(notesOf) };
    });
  }

  /** Leaves out lists of the current folder: somebody else may have put them there. */
  async #plan(deps: ServerDeps) {
    const all = await findImports(this.#io, { files: [], from: undefined });
    const files = all.filter(({ isProject }) => !isProject);
    const vault = await openVaultOf(this.#io);
    const { servers: planned } = await planImport(files, {
      configured: deps.loaded.config.mcp.servers,
      secret: (key) => vault.get(key),
    });
    const clientOf = ({ file }: PlannedServer) => files.find((each) => each.file === file)?.client;
    return { planned, vault, clientOf };
  }

  async #record(event: string, name: string, { by, ...more }: EventDetails): Promise<void> {
    const { audit } = await this.#open.crib.store();
    await audit.append({
      kind: 'event',
      executionId: `server:${name}`,
      at: this.#io.runtime.now(),
      tool: '',
      version: '',
      tier: '',
      userId: by,
      agentId: '',
      sessionId: '',
      status: 'success',
      code: '',
      durationMs: 0,
      costMicros: 0,
      detail: { event, server: name, ...more },
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work).catch((error: unknown) => {
      throw asToolFailure(error);
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}

export const createServerEditor = (io: Io, open: Open): ServerEditor => new Editor(io, open);
