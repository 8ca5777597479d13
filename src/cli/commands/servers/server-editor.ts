/**
 * Changes the MCP servers of the configuration for the console, with the checks of the commands `servers
 * add`, `remove` and `import`. An added server is started at once, a removed one is stopped; a changed
 * tier takes effect at the next start.
 */
import { isDeepStrictEqual } from 'node:util';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import type { ServerDefinition } from '../../../config/mcp-import/foreign-server.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Tier } from '../../../contract/tool.ts';
import { digestOf } from '../../../kit/data/canonical-json.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type {
  ConfiguredServer,
  ImportOffer,
  NewServer,
  ServerChange,
  ServerEditor,
} from '../../../surfaces/http/server-editor.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io, OpenCrib } from '../../io.ts';
import { type ConfigDeps, editConfig, openConfigDeps } from '../../session/config-edit.ts';
import { createTurns } from '../../session/edit-in-turn.ts';
import { recordChange } from '../../session/record-change.ts';
import { openVaultOf } from '../secrets/secrets-deps.ts';
import { findImports } from './find-imports.ts';
import { reachText } from './import-page.ts';
import { type PlannedServer, planImport, takeServers } from './plan-import.ts';
import { isOfProject, requireServer, type ServerSettings, settingsOf } from './server-config.ts';
import { removeServer } from './servers-remove.ts';

type Open = Pick<OpenCrib, 'crib' | 'loaded'>;

interface EventDetails {
  /** Who made the change. */
  readonly by: string;
  readonly tier?: Tier;
}

const refused = (reason: string | undefined): ToolFailure =>
  misuse('This server cannot be configured.', `Change it: ${reason ?? 'it is not complete'}`);

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

/** Makes the digest of an offer without the values of secrets, which could be guessed from it. */
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

/** How long a request waits for a server to start. */
const MAX_START_MS = 10_000;

class Editor implements ServerEditor {
  readonly #io: Io;
  readonly #open: Open;
  /** The settings that the servers of this process run with. */
  readonly #started: Map<string, ServerSettings>;
  /** Runs one change at a time: two at once would overwrite each other. */
  readonly #inTurn = createTurns();

  constructor(io: Io, open: Open) {
    // Stops commands from printing: the HTTP answer has their messages.
    this.#io = { ...io, json: true };
    this.#open = open;
    this.#started = new Map(Object.entries(open.loaded.config.mcp.servers));
  }

  list(): Promise<readonly ConfiguredServer[]> {
    return this.#inTurn(() => this.#list());
  }

  async #list(): Promise<readonly ConfiguredServer[]> {
    const deps = await openConfigDeps(this.#io);
    const now = deps.loaded.config.mcp.servers;
    const names = [...new Set([...Object.keys(now), ...this.#started.keys()])].sort();
    return names.flatMap((name) => {
      const settings = settingsOf(deps, name);
      const before = this.#started.get(name);
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
      const deps = await openConfigDeps(this.#io);
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
      return { servers: [name], notes: [...notesOf(planned), ...(await this.#start(name))] };
    });
  }

  remove(name: string, by: string): Promise<ServerChange> {
    return this.#inTurn(async () => {
      await removeServer(this.#io, name);
      await this.#record('server.removed', name, { by });
      await this.#stop(name);
      return { servers: [name], notes: [] };
    });
  }

  setTier(name: string, tier: Tier, by: string): Promise<ServerChange> {
    return this.#inTurn(async () => {
      const deps = await openConfigDeps(this.#io);
      await requireServer(deps, name);
      if (isOfProject(deps, name)) {
        throw new ToolFailure('PERMISSION_DENIED', 'This server belongs to the project.', {
          suggestions: ['Edit .toolcrib/config.yml of the project by hand.'],
        });
      }
      await editConfig(this.#io, deps, {
        inProject: false,
        change: (file) => setInConfigFile(file, ['mcp', 'servers', name, 'tier'], tier),
      });
      await this.#record('server.changed', name, { by, tier });
      return { servers: [name], notes: [] };
    });
  }

  offers(): Promise<readonly ImportOffer[]> {
    return this.#inTurn(async () => {
      const { planned, clientOf } = await this.#plan(await openConfigDeps(this.#io));
      return planned.map((server) => offerOf(server, clientOf(server)));
    });
  }

  take(offers: Parameters<ServerEditor['take']>[0], by: string): Promise<ServerChange> {
    return this.#inTurn(async () => {
      const deps = await openConfigDeps(this.#io);
      const { planned, vault } = await this.#plan(deps);
      const chosen = offers.map(({ name, digest }) => {
        const server = planned.find((one) => one.name === name && one.outcome === 'new');
        if (server && offerDigest(server) === digest) return server;
        throw changedMeanwhile();
      });
      await takeServers(this.#io, { deps, vault, inProject: false }, [...new Set(chosen)]);
      const names = chosen.map(({ name }) => name);
      for (const name of names) await this.#record('server.added', name, { by });
      const starts = await Promise.all(names.map((name) => this.#start(name)));
      return { servers: names, notes: [...chosen.flatMap(notesOf), ...starts.flat()] };
    });
  }

  /** Leaves out server lists of the current folder: somebody else may have put them there. */
  async #plan(deps: ConfigDeps) {
    const all = await findImports(this.#io, { files: [], from: undefined });
    const files = all.filter(({ isProject }) => !isProject);
    const vault = await openVaultOf(this.#io);
    const { servers: planned } = await planImport(files, {
      configured: deps.loaded.config.mcp.servers,
      secret: (key) => vault.get(key),
    });
    const clientOf = ({ file }: PlannedServer) => files.find((one) => one.file === file)?.client;
    return { planned, vault, clientOf };
  }

  #record(event: string, name: string, { by, ...more }: EventDetails): Promise<void> {
    const detail = { server: name, ...more };
    return recordChange(this.#io, this.#open, { event, subject: `server:${name}`, by, detail });
  }

  /** Starts a server that was written. One that does not answer stays in the configuration. */
  async #start(name: string): Promise<readonly string[]> {
    const deps = await openConfigDeps(this.#io);
    const settings = settingsOf(deps, name);
    if (!settings || settings.enabled === false) return [];
    const { crib } = this.#open;
    const connecting = crib.servers.connect({ name, ...settings }).then(
      () => {
        this.#started.set(name, settings);
        return [];
      },
      (error: unknown) => [`${name} does not answer yet: ${reasonOf(error)}`],
    );
    const timeout = new Promise<readonly string[]>((resolve) => {
      const warnings = [`${name} is still starting; its tools are listed when it has started.`];
      this.#io.runtime.after(MAX_START_MS, () => resolve(warnings)).keepAlive(false);
    });
    return Promise.race([connecting, timeout]);
  }

  async #stop(name: string): Promise<void> {
    const { crib } = this.#open;
    const isThere = crib.servers.list().some((server) => server.name === name);
    // Another file may still define the server with other settings, which count from the next start.
    if (isThere) await crib.servers.disconnect(name);
    this.#started.delete(name);
  }
}

export const createServerEditor = (io: Io, open: Open): ServerEditor => new Editor(io, open);
