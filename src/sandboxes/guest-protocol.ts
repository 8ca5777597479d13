/**
 * The host's side of the protocol with a guest program: starts the module, answers its requests, and
 * tells its messages from its output. Everything that comes from inside is untrusted data.
 */
import { basename } from 'node:path';
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxHost, SandboxTask } from '../contract/sandbox.ts';
import { NO_HOST } from './context-names.ts';

export interface GuestProtocolOptions {
  readonly task: Extract<SandboxTask, { readonly kind: 'code' }>;
  readonly host: SandboxHost | undefined;
  /** Random text that no output contains by accident. */
  readonly mark: string;
  readonly outputBytes: number;
  send(line: string): void;
}

interface Ending {
  readonly value?: unknown;
}

/** What a line of the guest may hold; nothing is certain. */
interface GuestMessage {
  readonly ask?: unknown;
  readonly method?: unknown;
  readonly args?: unknown;
  readonly broken?: unknown;
  readonly refusal?: unknown;
  readonly done?: unknown;
  readonly value?: unknown;
}

const NEWLINE = 0x0a;
/** Around the text of a value or of arguments. */
const ENVELOPE = 1024;

const tooLarge = () =>
  new ToolFailure('OUTPUT_TOO_LARGE', 'The sandboxed code wrote more than it may.', {
    suggestions: ['Return less, or raise outputBytes.'],
  });

/** Hides our own bugs from the guest. */
const asFailure = (error: unknown): ToolFailure =>
  error instanceof ToolFailure ? error : new ToolFailure('INTERNAL');

const plainName = (name: string | undefined): string => {
  const plain = basename(name ?? '').replace(/[^\w.-]/g, '_');
  return /\w/.test(plain) ? plain.slice(0, 100) : 'tool.js';
};

export class GuestProtocol {
  readonly #options: GuestProtocolOptions;
  readonly #mark: Buffer;
  readonly #refusals = new Map<number, ToolFailure>();
  #rest: Buffer[] = [];
  #restBytes = 0;
  #ending: Ending | undefined;
  #failure: ToolFailure | undefined;

  constructor(options: GuestProtocolOptions) {
    this.#options = options;
    this.#mark = Buffer.from(options.mark);
  }

  start(): void {
    const { task, mark, send } = this.#options;
    const { code, input } = task;
    send(`${JSON.stringify({ mark, code, input, name: plainName(task.name) })}\n`);
  }

  /** Takes what came out and returns the part that the module printed. Throws OUTPUT_TOO_LARGE. */
  receive(chunk: Buffer): Buffer {
    const printed: Buffer[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      printed.push(this.#line(Buffer.concat([...this.#rest, chunk.subarray(from, at + 1)])));
      this.#rest = [];
      this.#restBytes = 0;
      from = at + 1;
    }
    this.#rest.push(chunk.subarray(from));
    this.#restBytes += chunk.length - from;
    if (this.#restBytes > this.#options.outputBytes + ENVELOPE) throw tooLarge();
    return Buffer.concat(printed);
  }

  /** Gives the value or throws the failure. A guest that ended without either broke. */
  outcome(): Ending {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#ending !== undefined) return this.#ending;
    throw new ToolFailure('SANDBOX_ERROR', 'The sandboxed code ended without a result.', {
      suggestions: ['See that it neither exits by itself nor runs out of memory.'],
    });
  }

  get isOver(): boolean {
    return this.#ending !== undefined || this.#failure !== undefined;
  }

  #line(line: Buffer): Buffer {
    const at = line.indexOf(this.#mark);
    if (at < 0) return line;
    if (line.length - at > this.#options.outputBytes + ENVELOPE) throw tooLarge();
    if (!this.isOver) this.#message(line.toString('utf8', at + this.#mark.length));
    return line.subarray(0, at);
  }

  #message(text: string): void {
    let message: GuestMessage;
    try {
      message = Object(JSON.parse(text)) as GuestMessage;
    } catch {
      return;
    }
    const { ask, method, args, broken, refusal } = message;
    if (typeof ask === 'number' && typeof method === 'string' && Array.isArray(args)) {
      void this.#answer(ask, method, args);
    } else if (typeof broken === 'string') {
      this.#failure =
        this.#refusals.get(Number(refusal)) ?? new ToolFailure('EXECUTION_FAILED', broken);
    } else if (message.done === 1) {
      this.#ending = Object.hasOwn(message, 'value') ? { value: message.value } : {};
    }
  }

  async #answer(id: number, method: string, args: readonly unknown[]): Promise<void> {
    const { host = NO_HOST, send } = this.#options;
    let line: string;
    try {
      line = JSON.stringify({ id, value: await host.request(method, args) });
    } catch (error) {
      const failure = asFailure(error);
      this.#refusals.set(id, failure);
      line = JSON.stringify({ id, failure: { code: failure.code, message: failure.message } });
    }
    if (!this.isOver) send(`${line}\n`);
  }
}
