/** Implements the SDK's transport over a WebSocket, one message in each frame. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { WebSocketLike } from '../server-settings.ts';
import { parseSoundly } from './sound-message.ts';

export interface WebSocketOptions {
  readonly maxMessageBytes: number;
  open(): Promise<WebSocketLike>;
  /** Throws for anything that is not a message. */
  parse(value: unknown): JSONRPCMessage;
  onGarbage(): void;
}

export class WebSocketTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Set before `onclose` when a message was too large. */
  cut: 'message too large' | undefined = undefined;
  readonly #options: WebSocketOptions;
  #socket: WebSocketLike | undefined = undefined;

  constructor(options: WebSocketOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const socket = await this.#options.open();
    this.#socket = socket;
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => {
        const error = new Error('The connection failed.');
        reject(error);
        this.onerror?.(error);
      });
      socket.addEventListener('message', ({ data }) => this.#take(data));
      socket.addEventListener('close', () => {
        reject(new Error('The connection was closed.'));
        this.#tellClosed();
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#socket) throw new Error('Not connected');
    this.#socket.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.#socket?.close();
    this.#tellClosed();
  }

  #tellClosed(): void {
    this.#socket = undefined;
    const tell = this.onclose;
    this.onclose = undefined;
    tell?.();
  }

  #take(data: unknown): void {
    if (typeof data === 'string' && data.length > this.#options.maxMessageBytes) {
      this.cut = 'message too large';
      void this.close();
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = this.#options.parse(parseSoundly(String(data)));
    } catch {
      this.#options.onGarbage();
      return;
    }
    this.onmessage?.(message);
  }
}
