/**
 * What a tool gets when it runs. Every member is brokered: it reaches only what the tool's `needs` and
 * the policy allow, and refuses the rest with a coded failure.
 */
import type { CallerNames, Isolation } from './caller.ts';
import type { Elicitation, ElicitationAnswer, UrlElicitation } from './elicitation.ts';
import type { Memory } from './memory.ts';
import type { Model } from './model.ts';
import type { ToolResult } from './result.ts';
import type { Logger } from './runtime.ts';
import type { SamplingRequest } from './sampling.ts';
import type { Span, SpanStart, TraceContext } from './telemetry.ts';

export interface FileInfo {
  /** Relative to the workspace root, with forward slashes. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'other';
  readonly size: number;
  readonly modifiedMs: number;
  /** There for a file that its owner may run. */
  readonly executable?: true;
}

export interface WriteReceipt {
  readonly bytesWritten: number;
  readonly created: boolean;
}

/** Files below the workspace root. Writes and removals keep a snapshot so that they can be undone. */
export interface FileAccess {
  /**
   * Resolves a name to its absolute path. Fails when it is outside the root or protected.
   *
   * @example
   * const cwd = await context.fs.resolve('packages/api', 'read');
   * await context.exec('npm', ['test'], { cwd });
   */
  resolve(path: string, access: 'read' | 'write'): Promise<string>;
  /**
   * Reads a file. Fails with NOT_FOUND when there is none, and when it is larger than `maxBytes` or the
   * limit of the configuration.
   *
   * @example
   * const text = new TextDecoder().decode(await context.fs.read('notes.md', { maxBytes: 65_536 }));
   */
  read(path: string, options?: { maxBytes?: number }): Promise<Uint8Array>;
  /**
   * Writes a whole file in one step, so that nobody reads half of it. With `overwrite: false` it fails
   * with CONFLICT when the file is there.
   *
   * @example
   * const { created } = await context.fs.write('reports/today.md', '# Today', { createDirs: true });
   */
  write(
    path: string,
    data: string | Uint8Array,
    /** `executable` is for a file that is new; one that is there keeps its mode. */
    options?: { createDirs?: boolean; overwrite?: boolean; executable?: boolean },
  ): Promise<WriteReceipt>;
  /**
   * Removes a file, or a directory that is empty. Fails with NOT_FOUND when it is not there.
   *
   * @example
   * await context.fs.remove('reports/yesterday.md');
   */
  remove(path: string): Promise<void>;
  /**
   * Makes one directory, and those above it that are missing. Fails with CONFLICT when it is there.
   *
   * @example
   * await context.fs.makeDirectory('reports/2030');
   */
  makeDirectory(path: string): Promise<void>;
  /**
   * Lists the entries of one directory, without protected names.
   *
   * @example
   * for (const { path, kind, size } of await context.fs.list('reports')) console.log(path, kind, size);
   */
  list(path: string): Promise<readonly FileInfo[]>;
  /**
   * Describes what is at the path; `undefined` when nothing is there.
   *
   * @example
   * if ((await context.fs.stat('package.json')) === undefined) context.warn('This is no npm project.');
   */
  stat(path: string): Promise<FileInfo | undefined>;
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a tool may say about a run besides the words of the command. */
export interface ExecOptions {
  readonly stdin?: string;
  /** Absolute, below the workspace root; the root when absent. */
  readonly cwd?: string;
  /** Added to the scrubbed environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Of the hosts that the tool declared, those that this run needs; all of them when absent. */
  readonly hosts?: readonly string[];
  /** A header, such as a credential, that git sends to this origin alone. Other programs get none. */
  readonly gitHeader?: { readonly origin: string; readonly header: string };
}

export interface Usage {
  /** US dollars the call really cost. */
  readonly cost?: number;
  readonly tokens?: number;
}

/** Options of a call that a tool makes. None of them can widen what the call may do. */
export interface InnerCallOptions {
  /** Cancels this call and leaves the others running. */
  readonly signal?: AbortSignal;
  /** Shortens the time that the call may take. */
  readonly timeoutMs?: number;
  /**
   * Names the call among those that this one makes: tries of it carry one idempotency key, so that a
   * service which knows the key does its work once.
   */
  readonly callKey?: string;
}

export interface ToolContext {
  readonly executionId: string;
  /** The id of the trace that the call is part of; jobs that it adds carry it on. */
  readonly traceId?: string | undefined;
  /** How far the caller's work is kept apart from this machine. */
  readonly isolation: Isolation;
  readonly sessionId: string;
  readonly loopId: string;
  readonly agentId: string;
  readonly userId: string;
  /** The names that limits and labels go by, where a surface proved them; see `Caller`. */
  readonly authenticated?: CallerNames | undefined;
  /**
   * The trace that the call is part of, for protocols that carry it; `fetch` sends it to hosts of
   * `observation.traceHosts`.
   */
  readonly trace?: TraceContext | undefined;
  /**
   * Starts a span below that of the call, which the tool has to end; absent where nobody traces.
   *
   * @example
   * const span = context.startSpan?.('parse the answer');
   * span?.end();
   */
  readonly startSpan?: ((name: string, start?: Omit<SpanStart, 'parent'>) => Span) | undefined;
  /**
   * Whether requests to this host may carry the trace: `observation.traceHosts` names those that may.
   *
   * @example
   * const joins = context.sendsTraceTo?.('api.example.com', 443) === true;
   */
  readonly sendsTraceTo?: ((host: string, port: number) => boolean) | undefined;
  /** The same for every attempt of one call, for services that accept such a key. */
  readonly idempotencyKey: string;
  /** A non-critical precondition failed: do less, but do it. */
  readonly degraded: boolean;
  /** Aborts on cancel and on timeout. */
  readonly signal: AbortSignal;
  readonly memory: Memory;
  readonly logger: Logger;
  readonly fs: FileAccess;
  readonly fetch: typeof globalThis.fetch;
  /**
   * Resolves a host to the address to connect to, for protocols other than HTTP. The host is judged
   * as `fetch` would judge it, its name resolved once and every answer checked; fails like `fetch`.
   *
   * @example
   * const address = await context.resolveHost('db.example.com', 5432);
   */
  resolveHost(host: string, port: number): Promise<string>;
  /**
   * Runs a program that the tool declared, in a sandbox. `bash -c` with one script is judged command
   * by command. An exit code other than 0 is no failure: it is part of the result.
   *
   * @example
   * const { exitCode, stdout } = await context.exec('git', ['status', '--short']);
   * if (exitCode !== 0) throw new ToolFailure('EXECUTION_FAILED', 'git status failed.');
   */
  exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<CommandResult>;
  readonly model: Model;
  /**
   * Tells how far the work is (0 to 1) and resets the idle timeout.
   *
   * @example
   * context.progress(0.5, 'half of the pages are read');
   */
  progress(fraction: number, note?: string): void;
  /**
   * Asks the person behind the call; absent where nobody can be asked. For sources of tools.
   *
   * @example
   * const answer = await context.elicit?.({
   *   server: 'github',
   *   message: 'Which branch?',
   *   schema: { type: 'object', properties: { branch: { type: 'string' } } },
   * });
   */
  readonly elicit?: ((question: Elicitation) => Promise<ElicitationAnswer>) | undefined;
  /**
   * Asks the person to open a page; absent where nobody can be asked. For sources of tools.
   *
   * @example
   * const answer = await context.elicitUrl?.({
   *   server: 'github',
   *   message: 'Sign in to continue.',
   *   url: 'https://example.com/login',
   * });
   */
  readonly elicitUrl?: ((question: UrlElicitation) => Promise<ElicitationAnswer>) | undefined;
  /**
   * Asks the model of the client behind the call; absent where it has none. For sources of tools.
   *
   * @example
   * const reply = await context.sample?.({
   *   server: 'github',
   *   params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 },
   * });
   */
  readonly sample?:
    | ((request: SamplingRequest) => Promise<Readonly<Record<string, unknown>>>)
    | undefined;
  /**
   * Reads the secret under a key that the tool declared in `needs.secrets` or `auth`.
   *
   * @example
   * const key = await context.secret('STRIPE_SECRET_KEY');
   */
  secret(key: string): Promise<string>;
  /**
   * Reports what the call really used; the ledger settles with it. Tokens without a cost are priced
   * by the tool's price for a token. What the model cost is counted without a report, and reporting
   * it does not count it twice. Throws BUDGET_EXCEEDED, and the call is stopped, when the sum is more
   * than the call may cost.
   *
   * @example
   * context.charge({ cost: 0.002, tokens: 850 });
   */
  charge(usage: Usage): void;
  /**
   * Adds a warning to the result, which stays a success: at most 100, of 2,000 characters each.
   *
   * @example
   * context.warn('Only the first 1,000 rows were read.');
   */
  warn(message: string): void;
  /**
   * Stores what the tool's own `undo` will need, as JSON; it is stored with the call. `null` says
   * that this call cannot be undone.
   *
   * @example
   * context.keepForUndo({ messageId: 'm-17' });
   */
  keepForUndo(data: unknown): void;
  /**
   * Calls another tool through the whole pipeline, as the caller of this call.
   *
   * @example
   * const page = await context.call('web_scrape', { url: 'https://example.com' });
   * if (!page.success) context.warn(page.error.message);
   */
  call(tool: string, input: unknown, options?: InnerCallOptions): Promise<ToolResult>;
}
