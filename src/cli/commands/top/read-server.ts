/** The figures of `toolcrib top` from a running server, over its HTTP API. */
import type { ApprovalRecord } from '../../../contract/approver.ts';
import type { UsageLine } from '../../../contract/crib-members.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { CallFigures, MetricHistory, MetricLine } from '../../../contract/metrics.ts';
import type { JobCounts } from '../../../contract/queue.ts';
import type { ServerStatus } from '../../../contract/servers.ts';
import { decodeText, readBytes } from '../../../kit/http/read-reply.ts';
import type { RunningCalls, TopSource } from './top-snapshot.ts';

export interface ServerSourceOptions {
  readonly url: string;
  /** Returns a token; `isRefused` when the server no longer accepts the last one. */
  token(isRefused: boolean): Promise<string>;
  close?(): Promise<void>;
  readonly fetch?: typeof globalThis.fetch;
}

const MAX_ANSWER_MS = 10_000;
/** A Toolcrib server never sends more than this. */
const MAX_TEXT = 4_000_000;
/** The pattern below backtracks, so longer lines, which no Toolcrib server sends, are skipped. */
const MAX_LINE = 1000;

const GAUGE = 'toolcrib_running_calls{';
const RUNNING = /^.*?tool="((?:[^"\\]|\\.)*)".*?\} (\d+)$/;

/** Reads the gauge of running calls from the text format of Prometheus. */
export const runningIn = (text: string): readonly RunningCalls[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith(GAUGE) && line.length <= MAX_LINE)
    .flatMap((line) => {
      const [, tool = '', count = '0'] = RUNNING.exec(line.slice(GAUGE.length)) ?? [];
      const name = tool.replaceAll(/\\(.)/g, (_, character: string) =>
        character === 'n' ? '\n' : character,
      );
      return Number(count) > 0 ? [{ tool: name, count: Number(count) }] : [];
    });

const refused = (status: number): ToolFailure => {
  if (status === 401 || status === 403) {
    return new ToolFailure('PERMISSION_DENIED', 'The server does not accept the token.', {
      suggestions: [
        'Set TOOLCRIB_TOKEN to one made with: toolcrib tokens create top --role viewer',
      ],
    });
  }
  return new ToolFailure('SERVER_ERROR', `The server answered with status ${status}.`);
};

const unreachable = (url: string): ToolFailure =>
  new ToolFailure('SERVER_ERROR', `The server at ${url} does not answer.`, {
    suggestions: ['See whether it runs there: toolcrib serve'],
  });

class ServerSource implements TopSource {
  readonly label: string;
  readonly #options: ServerSourceOptions;
  /** Made once for all requests that are under way. */
  #token: Promise<string> | undefined = undefined;

  constructor(options: ServerSourceOptions) {
    this.#options = options;
    this.label = options.url;
  }

  history(from: number): Promise<MetricHistory> {
    return this.#json(`/v1/metrics?from=${from}&step=minute`);
  }

  async total(from: number): Promise<CallFigures> {
    return (await this.#json<MetricHistory>(`/v1/metrics?from=${from}`)).total;
  }

  async tools(from: number): Promise<readonly MetricLine[]> {
    const { lines } = await this.#json<{ lines: readonly MetricLine[] }>(
      `/v1/metrics/tool?from=${from}`,
    );
    return lines;
  }

  /** Reads the running calls; none from a server whose metrics page is switched off. */
  async running(): Promise<readonly RunningCalls[]> {
    const answer = await this.#ask('/metrics');
    return answer.status === 200 ? runningIn(answer.text) : [];
  }

  async waiting(): Promise<readonly number[]> {
    const { items } = await this.#json<{ items: readonly ApprovalRecord[] }>(
      '/v1/approvals?state=waiting&limit=200',
    );
    return items.map(({ createdAt }) => createdAt);
  }

  async usage(): Promise<readonly UsageLine[]> {
    return (await this.#json<{ lines: readonly UsageLine[] }>('/v1/usage')).lines;
  }

  async servers(): Promise<readonly ServerStatus[]> {
    return (await this.#json<{ items: readonly ServerStatus[] }>('/v1/servers?limit=200')).items;
  }

  async jobs(): Promise<Readonly<Record<string, JobCounts>>> {
    const { items } = await this.#json<{ items: readonly (JobCounts & { queue: string })[] }>(
      '/v1/jobs/queues',
    );
    return Object.fromEntries(items.map(({ queue, ...counts }) => [queue, counts]));
  }

  close(): Promise<void> {
    return this.#options.close?.() ?? Promise.resolve();
  }

  async #json<T>(path: string): Promise<T> {
    const { status, text } = await this.#ask(path);
    if (status !== 200) throw refused(status);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw unreachable(this.label);
    }
  }

  async #ask(path: string): Promise<{ readonly status: number; readonly text: string }> {
    this.#token ??= this.#options.token(false);
    const used = this.#token;
    const first = await this.#fetch(path, await used);
    if (first.status !== 401) return first;
    // Unless another request has replaced it meanwhile.
    if (this.#token === used) this.#token = this.#options.token(true);
    return this.#fetch(path, await this.#token);
  }

  async #fetch(
    path: string,
    token: string,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { url, fetch = globalThis.fetch } = this.#options;
    try {
      const answer = await fetch(new URL(path, url), {
        headers: { authorization: `Bearer ${token}` },
        redirect: 'error',
        signal: AbortSignal.timeout(MAX_ANSWER_MS),
      });
      return { status: answer.status, text: decodeText(await readBytes(answer, MAX_TEXT)) };
    } catch {
      throw unreachable(url);
    }
  }
}

export const serverSource = (options: ServerSourceOptions): TopSource => new ServerSource(options);
