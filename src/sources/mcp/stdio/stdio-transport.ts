/**
 * The SDK's transport over the pipes of a child that we start and end ourselves. Lines that are no
 * messages are counted; one that is too long, or a flood, ends the connection and with it the child.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import { DirectCalls } from '../call/direct-calls.ts';
import type { ConfinedStart } from '../server-settings.ts';
import { parseSoundly } from '../transport/sound-message.ts';
import { type ChildGroup, type ChildRequest, startChildGroup } from './child-group.ts';
import { LineReader } from './line-reader.ts';
import { Outbox, type Told } from './outbox.ts';
import type { StderrTail } from './stderr-tail.ts';

export interface StdioOptions {
  readonly order: ChildRequest;
  /** The walls around the child, where it has some; taken down when it is gone. */
  readonly confined?: ConfinedStart | undefined;
  readonly maxMessageBytes: number;
  readonly graceMs: number;
  readonly runtime: Pick<Runtime, 'elapsed' | 'after'>;
  /** Throws for what is no message. */
  parse(value: unknown): JSONRPCMessage;
  readonly tail: Pick<StderrTail, 'begin'>;
  onGarbage(): void;
}

/** Why a connection was cut from this side. */
export type CutReason = 'message too large' | 'flood' | 'garbage' | 'limit';

const FLOOD_WINDOW_MS = 5000;
const FLOOD_MESSAGES = 20_000;
const MAX_GARBAGE_IN_A_ROW = 1000;
/** How long one whose pipe broke is waited for, to tell how it ended. */
const FAREWELL_MS = 500;
/** The longest time that a timer can be set to. */
const NEVER_MS = 2_147_483_647;

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
  /** For calls that need not go through the SDK. */
  readonly directCalls: DirectCalls;
  readonly #options: StdioOptions;
  readonly #reader: LineReader;
  #child: ChildGroup | undefined = undefined;
  #outbox: Outbox | undefined = undefined;
  /** Responses that came already, by the arguments of calls that the SDK is yet to make. */
  readonly #foreseen = new WeakMap<object, JSONRPCMessage>();
  #closed = false;
  /** It no longer reads what it is told, most likely because it has ended. */
  #isDeaf = false;
  #takenDown: Promise<void> | undefined = undefined;
  #garbage = 0;
  #windowFrom = 0;
  #inWindow = 0;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#reader = new LineReader(options.maxMessageBytes);
    this.directCalls = new DirectCalls({
      write: (line, told) => this.#write(line, told),
      hold: () => options.runtime.after(NEVER_MS, () => undefined),
    });
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const child = await startChildGroup(this.#options.order);
    this.#child = child;
    this.#outbox = new Outbox(child.stdin);
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stdout.on('error', () => undefined);
    const stderr = this.#options.tail.begin();
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString('utf8')));
    child.stderr.on('error', () => undefined);
    // Later than its end: what it wrote last is still in the pipe then.
    child.stderr.once('close', () => stderr.end());
    void child.ended.then((how) => this.#over(how));
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
      const told: Told = (error) => (error ? reject(error) : resolve());
      this.#write(`${JSON.stringify(message)}\n`, told);
    });
  }

  /**
   * Has the SDK judge a response to a call that went past it: when it makes the call with these very
   * arguments, nothing is sent, and this is its answer.
   */
  foresee(args: object, response: JSONRPCMessage): void {
    this.#foreseen.set(args, response);
  }

  #isForeseen(message: JSONRPCMessage): boolean {
    const args = 'params' in message ? message.params?.arguments : undefined;
    if (typeof args !== 'object' || args === null || !('id' in message)) return false;
    const response = this.#foreseen.get(args);
    if (!response) return false;
    // Once: what it sends next, with the answers to questions of the server, is a call of its own.
    this.#foreseen.delete(args);
    this.#hand({ ...response, id: message.id } as JSONRPCMessage);
    return true;
  }

  #write(line: string, told: Told): void {
    if (!this.#outbox || this.#closed) throw new Error('Not connected');
    this.#outbox.put(line, (error) => {
      if (error) this.#isDeaf = true;
      told(error);
    });
  }

  async close(): Promise<void> {
    if (this.#isDeaf && !this.#closed) await this.#farewell();
    this.#closed = true;
    this.#child?.stdout.removeAllListeners('data').resume();
    this.#outbox?.flush();
    await this.#child?.end(this.#options.graceMs);
    await this.#takeDown();
    this.#tellClosed();
  }

  /** The write that fails is told before the exit that made it fail. */
  async #farewell(): Promise<void> {
    let timer: { cancel(): void } | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.#options.runtime.after(FAREWELL_MS, resolve);
    });
    await Promise.race([this.#child?.ended, late]);
    timer?.cancel();
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
    try {
      tell?.();
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
    if (from > 0 && !this.#closed) this.#child?.stdout.resume();
  }

  /** True for a notification that the SDK has got. */
  #take(line: string): boolean {
    const message = this.#parse(line);
    // An answer is no flood: there are no more of them than there were questions.
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
    this.#hand(message);
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

  #hand(message: JSONRPCMessage): void {
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
