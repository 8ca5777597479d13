/**
 * Implements the SDK's transport over the pipes of a child that it starts and ends. Lines that are no
 * messages are counted; a line that is too long, or a flood, ends the connection and the child.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import { DirectCalls } from '../call/direct-calls.ts';
import type { ConfinedStart } from '../server-settings.ts';
import { parseSoundly } from '../transport/sound-message.ts';
import { type ChildGroup, type ChildRequest, startChildGroup } from './child-group.ts';
import { LineReader } from './line-reader.ts';
import { type OnWritten, Outbox } from './outbox.ts';
import type { StderrTail } from './stderr-tail.ts';

export interface StdioOptions {
  readonly request: ChildRequest;
  /** The confinement of the child, where it has one; closed when the child has ended. */
  readonly confined?: ConfinedStart | undefined;
  readonly maxMessageBytes: number;
  readonly graceMs: number;
  readonly runtime: Pick<Runtime, 'elapsed' | 'after'>;
  /** Throws for anything that is not a message. */
  parse(value: unknown): JSONRPCMessage;
  readonly tail: Pick<StderrTail, 'begin'>;
  onGarbage(): void;
}

/** Why a connection was cut from this side. */
export type CutReason = 'message too large' | 'flood' | 'garbage' | 'limit';

const FLOOD_WINDOW_MS = 5000;
const FLOOD_MESSAGES = 20_000;
const MAX_GARBAGE_IN_A_ROW = 1000;
/** How long to wait for the end of a child whose pipe broke, to report how it ended. */
const EXIT_WAIT_MS = 500;
/** The longest delay of a timer. */
const NEVER_MS = 2_147_483_647;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** The SDK recognizes a child process by `pid` and `stderr`. */
  readonly stderr = null;
  /** Set before `onclose`. */
  cut: CutReason | undefined = undefined;
  /** Set when it was cut for a limit. */
  failure: ToolFailure | undefined = undefined;
  /** How the child ended, if it ended by itself. */
  end: string | undefined = undefined;
  /** For calls that need not go through the SDK. */
  readonly directCalls: DirectCalls;
  readonly #options: StdioOptions;
  readonly #reader: LineReader;
  #child: ChildGroup | undefined = undefined;
  #outbox: Outbox | undefined = undefined;
  /** Responses that have arrived, by the arguments of calls that the SDK will make. */
  readonly #foreseen = new WeakMap<object, JSONRPCMessage>();
  #closed = false;
  /** A write failed, most likely because the child has ended. */
  #isBroken = false;
  #confinementClosed: Promise<void> | undefined = undefined;
  #garbage = 0;
  #windowFrom = 0;
  #inWindow = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#reader = new LineReader(options.maxMessageBytes);
    this.directCalls = new DirectCalls({
      write: (line, onWritten) => this.#write(line, onWritten),
      hold: () => options.runtime.after(NEVER_MS, () => undefined),
    });
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const child = await startChildGroup(this.#options.request);
    this.#child = child;
    this.#outbox = new Outbox(child.stdin);
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stdout.on('error', () => undefined);
    const stderr = this.#options.tail.begin();
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString('utf8')));
    child.stderr.on('error', () => undefined);
    // Later than the exit: its last output is still in the pipe then.
    child.stderr.once('close', () => stderr.end());
    void child.ended.then((how) => this.#handleExit(how));
    this.#options.confined?.watch(child.pid, {
      onLimit: (failure) => {
        this.failure = failure;
        this.#cutOff('limit');
      },
      onNote: (line) => stderr.push(`${line}\n`),
    });
    if (this.#closed) await child.end(this.#options.graceMs);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#isForeseen(message)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /**
   * Lets the SDK judge a response to a call that went past it: when the SDK makes the call with this
   * arguments object, nothing is sent, and it gets this response.
   */
  foresee(args: object, response: JSONRPCMessage): void {
    this.#foreseen.set(args, response);
  }

  #isForeseen(message: JSONRPCMessage): boolean {
    const args = 'params' in message ? message.params?.arguments : undefined;
    if (typeof args !== 'object' || args === null || !('id' in message)) return false;
    const response = this.#foreseen.get(args);
    if (!response) return false;
    // Once: a second call with them, after questions of the server, is a new call.
    this.#foreseen.delete(args);
    this.#passToSdk({ ...response, id: message.id } as JSONRPCMessage);
    return true;
  }

  #write(line: string, onWritten: OnWritten): void {
    if (!this.#outbox || this.#closed) throw new Error('Not connected');
    this.#outbox.put(line, (error) => {
      if (error) this.#isBroken = true;
      onWritten(error);
    });
  }

  async close(): Promise<void> {
    if (this.#isBroken && !this.#closed) await this.#awaitExit();
    this.#closed = true;
    this.#child?.stdout.removeAllListeners('data').resume();
    this.#outbox?.flush();
    await this.#child?.end(this.#options.graceMs);
    await this.#closeConfinement();
    this.#emitClose();
  }

  /** Waits for the exit: a failing write is reported before the exit that caused it. */
  async #awaitExit(): Promise<void> {
    let timer: { cancel(): void } | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#options.runtime.after(EXIT_WAIT_MS, resolve);
    });
    await Promise.race([this.#child?.ended, late]);
    timer?.cancel();
  }

  async #handleExit(how: string): Promise<void> {
    if (!this.#closed) this.end = how;
    this.#closed = true;
    await this.#closeConfinement();
    this.#emitClose();
  }

  #closeConfinement(): Promise<void> {
    this.#confinementClosed ??= this.#options.confined?.close() ?? Promise.resolve();
    return this.#confinementClosed;
  }

  /** Cuts the connection and kills the child without grace. */
  #cutOff(reason: CutReason): void {
    if (this.#closed) return;
    this.cut = reason;
    this.#closed = true;
    this.#child?.stdout.destroy();
    this.#emitClose();
    void this.#child?.end(0);
  }

  #emitClose(): void {
    const onclose = this.onclose;
    this.onclose = undefined;
    try {
      onclose?.();
    } finally {
      this.directCalls.close();
    }
  }

  #read(chunk: Buffer): void {
    if (this.#closed) return;
    const lines = this.#reader.push(chunk);
    if (lines === undefined) this.#cutOff('message too large');
    else if (lines.length > 0) this.#deliver(lines, 0);
  }

  /**
   * Delivers lines in order. The SDK handles a notification later than a response, so the lines after a
   * notification wait; otherwise the progress of a call would come after its end. Reading pauses meanwhile.
   */
  #deliver(lines: readonly string[], from: number): void {
    for (let at = from; at < lines.length && !this.#closed; at++) {
      const isNotification = this.#take(lines[at] ?? '');
      if (!isNotification || at + 1 === lines.length) continue;
      this.#child?.stdout.pause();
      setImmediate(() => this.#deliver(lines, at + 1));
      return;
    }
    if (from > 0 && !this.#closed) this.#child?.stdout.resume();
  }

  /** Handles one line; true for a notification that went to the SDK. */
  #take(line: string): boolean {
    const message = this.#parse(line);
    // Responses are no flood: there are no more of them than requests.
    if (message && this.directCalls.takeResponse(message)) return false;
    if (this.#isFlood()) {
      this.#cutOff('flood');
      return false;
    }
    if (!message) {
      this.#noteGarbage();
      return false;
    }
    if (this.directCalls.takeProgress(message)) return false;
    this.#passToSdk(message);
    return 'method' in message && !('id' in message);
  }

  #parse(line: string): JSONRPCMessage | undefined {
    try {
      const message = this.#options.parse(parseSoundly(line));
      this.#garbage = 0;
      return message;
    } catch {
      return undefined;
    }
  }

  #passToSdk(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
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
