/** The tools of a team's catalog as a source: those of the last good bundle, synced in the background. */
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type {
  ManagedSource,
  RefusedTool,
  SourceChange,
  SourceStatus,
} from '../../contract/sources.ts';
import type { TeamClient, TeamTool } from '../../contract/team.ts';
import type { Tool } from '../../contract/tool.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { withCodeDigest } from '../../kit/source/code-digest.ts';
import { teamRefusal } from './team-refusal.ts';

export interface BuiltTools {
  readonly tools: readonly Tool[];
  readonly refused: readonly RefusedTool[];
}

export interface TeamSourceDeps {
  readonly client: TeamClient;
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
  /** Compiles files of tools; their code runs in a sandbox. */
  build(files: readonly TeamTool[]): Promise<BuiltTools>;
  /** The secrets that the user lets the team use. */
  readonly granted: readonly string[];
  /** False takes in rules only. */
  readonly sharesTools: boolean;
  readonly isAccepted: boolean;
  readonly syncMs: number;
  close(): Promise<void>;
}

const MAX_SYNC_MS = 60_000;
const NO_CHANGE: SourceChange = { added: [], removed: [], changed: [] };

export class TeamSource implements ManagedSource {
  readonly kind = 'team';
  readonly label: string;
  readonly isAccepted: boolean;
  readonly #deps: TeamSourceDeps;
  #tools: readonly Tool[] = [];
  #refused: readonly RefusedTool[] = [];
  #timer: Timer | undefined = undefined;
  #isClosed = false;
  #wasExpired = false;
  #reload: () => void = () => undefined;

  constructor(deps: TeamSourceDeps) {
    this.#deps = deps;
    this.label = `team:${deps.client.state().org}`;
    this.isAccepted = deps.isAccepted;
  }

  async load(): Promise<readonly Tool[]> {
    const { client, build, granted, sharesTools } = this.#deps;
    const { bundle, isExpired, org } = client.state();
    this.#wasExpired = isExpired;
    const files = (bundle?.entries ?? []).filter((entry) => entry.kind === 'tool');
    if (!sharesTools || isExpired || files.length === 0) {
      this.#tools = [];
      this.#refused = [];
      return [];
    }
    const built = await build(files);
    const judged = built.tools.map((tool) => ({ tool, reason: teamRefusal(tool, granted) }));
    this.#refused = [
      ...built.refused,
      ...judged.flatMap(({ tool, reason }) =>
        reason === undefined ? [] : [{ name: tool.name, reason }],
      ),
    ];
    const code = new Map(files.map(({ name, text }) => [name, text]));
    this.#tools = judged
      .filter(({ reason }) => reason === undefined)
      .map(({ tool }) =>
        withCodeDigest(tool, { source: 'team', tags: ['team', org], files: code }),
      );
    return this.#tools;
  }

  /** Starts syncing, now and at intervals while the program runs, and calls back after changes. */
  watch(changed: () => void): () => void {
    const stop = this.#deps.client.onChange(changed);
    this.#reload = changed;
    this.#syncIn(0);
    return () => {
      stop();
      this.#timer?.cancel();
    };
  }

  status(): SourceStatus {
    const { org, url, bundle, fault, isExpired, syncedAt } = this.#deps.client.state();
    const lastError = isExpired ? `The time of the bundle is over. ${fault ?? ''}`.trim() : fault;
    const usual = bundle ? 'ready' : 'unread';
    return {
      name: this.label,
      kind: 'team',
      team: org,
      location: url,
      tools: this.#tools.length,
      state: lastError === undefined ? usual : 'failed',
      refused: this.#refused,
      ...(syncedAt !== undefined && { readAt: syncedAt }),
      ...(lastError !== undefined && { lastError }),
    };
  }

  async refresh(signal: AbortSignal): Promise<SourceChange> {
    const before = this.#tools;
    const isOther = await this.#deps.client.sync(signal);
    if (!isOther) return NO_CHANGE;
    const after = await this.load();
    const names = (tools: readonly Tool[]) => new Map(tools.map((tool) => [tool.name, tool]));
    const [old, now] = [names(before), names(after)];
    return {
      added: [...now.keys()].filter((name) => !old.has(name)),
      removed: [...old.keys()].filter((name) => !now.has(name)),
      changed: after.flatMap(({ name, version, description, codeDigest }) => {
        const tool = old.get(name);
        const isSame = tool?.version === version && tool.description === description;
        const isSameCode = tool?.codeDigest === codeDigest;
        return tool === undefined || (isSame && isSameCode) ? [] : [name];
      }),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#deps.close();
  }

  #syncIn(ms: number): void {
    if (this.#isClosed) return;
    const { client, runtime, syncMs } = this.#deps;
    this.#timer?.cancel();
    this.#timer = runtime.after(ms, () => {
      client
        .sync(AbortSignal.timeout(MAX_SYNC_MS))
        .catch((error: unknown) => {
          const reason = reasonOf(error);
          runtime.log.warn('The catalog of the team could not be synced', { reason });
        })
        .finally(() => {
          // The time of a bundle ends while no other one comes.
          if (client.state().isExpired !== this.#wasExpired) this.#reload();
          this.#syncIn(syncMs);
        });
    });
    this.#timer.keepAlive(false);
  }
}
