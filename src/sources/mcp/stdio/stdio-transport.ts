/**
 * The SDK's transport over the pipes of a child that we start and end ourselves. Lines that are no
 * messages are counted; one that is too long, or a flood, ends the connection and with it the child.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { ConfinedStart } from '../server-settings.ts';
import { type ChildGroup, type ChildOrder, startChildGroup } from './child-group.ts';
import { LineReader } from './line-reader.ts';

export interface StdioOptions {
  readonly order: ChildOrder;
  /** The walls around the child, where it has some; taken down when it is gone. */
  readonly confined?: ConfinedStart | undefined;
  readonly maxMessageBytes: number;
  readonly graceMs: number;
  readonly runtime: Pick<Runtime, 'elapsed'>;
  /** Throws for what is no message. */
  parse(value: unknown): JSONRPCMessage;
  onStderr(text: string): void;
  onGarbage(): void;
}

/** Why a connection was cut from this side. */
export type CutReason = 'message too large' | 'flood' | 'garbage' | 'limit';

const FLOOD_WINDOW_MS = 5000;
const FLOOD_MESSAGES = 20_000;
const MAX_GARBAGE_IN_A_ROW = 1000;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** The SDK tells a child process by `pid` and `stderr`. */
  readonly stderr = null;
  /** Set before `onclose`. */
  cut: CutReason | undefined = undefined;
  /** The limit that it was cut for. */
  failure: ToolFailure | undefined = undefined;
  /** How the child ended, where it did so by itself. */
  end: string | undefined = undefined;
  readonly #options: StdioOptions;
  readonly #reader: LineReader;
  #child: ChildGroup | undefined = undefined;
  #closed = false;
  #takenDown: Promise<void> | undefined = undefined;
  #garbage = 0;
  #windowFrom = 0;
  #inWindow = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#reader = new LineReader(options.maxMessageBytes);
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const child = await startChildGroup(this.#options.order);
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stdout.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) => this.#options.onStderr(chunk.toString('utf8')));
    child.stderr.on('error', () => undefined);
    void child.ended.then((how) => this.#over(how));
    this.#options.confined?.watch(child.pid, {
      onLimit: (failure) => {
        this.failure = failure;
        this.#cutOff('limit');
      },
      onNote: (line) => this.#options.onStderr(`${line}\n`),
    });
    if (this.#closed) await child.end(this.#options.graceMs);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#closed) return Promise.reject(new Error('Not connected'));
    this.#gather(stdin);
    return new Promise((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** What is sent in the same turn goes to the child in one write. */
  #gather(stdin: ChildGroup['stdin']): void {
    if (stdin.writableCorked > 0) return;
    stdin.cork();
    process.nextTick(() => stdin.uncork());
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#child?.stdout.removeAllListeners('data').resume();
    await this.#child?.end(this.#options.graceMs);
    await this.#takeDown();
    this.#tellClosed();
  }

  async #over(how: string): Promise<void> {
    if (!this.#closed) this.end = how;
    this.#closed = true;
    await this.#takeDown();
    this.#tellClosed();
  }

  #takeDown(): Promise<void> {
    this.#takenDown ??= this.#options.confined?.close() ?? Promise.resolve();
    return this.#takenDown;
  }

  /** The child is killed without grace: it is not reading what it is told. */
  #cutOff(reason: CutReason): void {
    if (this.#closed) return;
    this.cut = reason;
    this.#closed = true;
    this.#child?.stdout.destroy();
    this.#tellClosed();
    void this.#child?.end(0);
  }

  #tellClosed(): void {
    const tell = this.onclose;
    this.onclose = undefined;
    tell?.();
  }

  #read(chunk: Buffer): void {
    if (this.#closed) return;
    const lines = this.#reader.push(chunk);
    if (lines === undefined) this.#cutOff('message too large');
    else if (lines.length > 0) this.#deliver(lines, 0);
  }

  /**
   * The SDK takes a notification in later than a response, so what follows one has to wait, or the
   * progress of a call would come after its end. Nothing more is read meanwhile.
   */
  #deliver(lines: readonly string[], from: number): void {
    for (let at = from; at < lines.length && !this.#closed; at++) {
      const isNotification = this.#take(lines[at] ?? '');
      if (!isNotification || at + 1 === lines.length) continue;
      this.#child?.stdout.pause();
      setImmediate(() => this.#deliver(lines, at + 1));
      return;
    }
    if (!this.#closed) this.#child?.stdout.resume();
  }

  /** True for a notification. */
  #take(line: string): boolean {
    if (this.#isFlood()) {
      this.#cutOff('flood');
      return false;
    }
    let message: JSONRPCMessage;
    try {
      message = this.#options.parse(JSON.parse(line));
    } catch {
      this.#noteGarbage();
      return false;
    }
    this.#garbage = 0;
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
    return 'method' in message && !('id' in message);
  }

  #noteGarbage(): void {
    this.#options.onGarbage();
    this.#garbage += 1;
    if (this.#garbage > MAX_GARBAGE_IN_A_ROW) this.#cutOff('garbage');
  }

  #isFlood(): boolean {
    const now = this.#options.runtime.elapsed();
    if (now - this.#windowFrom > FLOOD_WINDOW_MS) {
      this.#windowFrom = now;
      this.#inWindow = 0;
    }
    this.#inWindow += 1;
    return this.#inWindow > FLOOD_MESSAGES;
  }
}
