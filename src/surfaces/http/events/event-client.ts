/** One client of the event stream. One that does not read fast enough is let go, never waited for. */
import type { EventName } from '../../../contract/events.ts';
import type { ToldEvent } from './event-ring.ts';
import { type EventViewer, maySee } from './event-summaries.ts';

/** Chunks are shared by all clients; what waits for one costs little more than its place in line. */
const MOST_WAITING_BYTES = 512 * 1024;

export interface ClientOptions {
  readonly viewer: EventViewer;
  /** All that the viewer may see when absent. */
  readonly types: ReadonlySet<EventName> | undefined;
  onGone(client: EventClient): void;
}

export class EventClient {
  readonly viewer: EventViewer;
  readonly body: ReadableStream<Uint8Array>;
  readonly #types: ReadonlySet<EventName> | undefined;
  readonly #onGone: (client: EventClient) => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined = undefined;

  constructor({ viewer, types, onGone }: ClientOptions) {
    this.viewer = viewer;
    this.#types = types;
    this.#onGone = onGone;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: MOST_WAITING_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  wants(event: ToldEvent): boolean {
    return (this.#types?.has(event.name) ?? true) && maySee(this.viewer, event);
  }

  /** False when the client is gone, or was let go because too much waits for it. */
  send(bytes: Uint8Array): boolean {
    const controller = this.#controller;
    if (!controller) return false;
    if ((controller.desiredSize ?? 0) > 0) {
      controller.enqueue(bytes);
      return true;
    }
    controller.error(new Error('The client reads too slowly.'));
    this.#leave();
    return false;
  }

  /** Ends the stream in good order. */
  close(): void {
    const controller = this.#controller;
    this.#leave();
    try {
      controller?.close();
    } catch {
      // It was cancelled or broken at the same moment: it is over either way.
    }
  }

  #leave(): void {
    if (!this.#controller) return;
    this.#controller = undefined;
    this.#onGone(this);
  }
}
