/** Collects what a program writes and stops it at the limit, while it is still writing. */
import { ToolFailure } from '../contract/errors.ts';

export class OutputMeter {
  readonly #maxBytes: number;
  readonly #out: Buffer[] = [];
  readonly #err: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Throws OUTPUT_TOO_LARGE when both streams together are over the limit. */
  take(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) {
      throw new ToolFailure('OUTPUT_TOO_LARGE', 'The program wrote more than it may.', {
        suggestions: ['Have it print less, or raise outputBytes.'],
      });
    }
    (stream === 'stdout' ? this.#out : this.#err).push(chunk);
  }

  get stdout(): string {
    return Buffer.concat(this.#out).toString('utf8');
  }

  get stderr(): string {
    return Buffer.concat(this.#err).toString('utf8');
  }
}
