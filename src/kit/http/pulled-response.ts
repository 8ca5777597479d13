/**
 * A response whose bytes are asked for piece by piece. It makes a web stream only for whoever wants one:
 * in Node 20 a stream and its reader take longer than all else that a small answer needs.
 */

/** Where the bytes of a body come from. */
export interface BodySource {
  /** Gives the next piece; `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** Ends the transfer: nobody wants the rest. Does nothing after the end. */
  cancel(): void;
}

export interface PulledInit {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
  readonly redirected: boolean;
}

/** `Response` without what is made otherwise here: its type has fields where the platform has accessors. */
const ResponseHead: new (
  body: null,
  init: ResponseInit,
) => Pick<Response, 'ok' | 'status' | 'statusText' | 'type'> = Response;

export class PulledResponse extends ResponseHead implements Response {
  readonly #source: BodySource | undefined;
  readonly #init: PulledInit;
  /** Set when the bytes were read without a stream. */
  #isRead = false;
  /** The same answer with a stream. */
  #streamed: Response | undefined;

  constructor(source: BodySource | undefined, init: PulledInit) {
    // Without the headers: they are not copied.
    super(null, { status: init.status, statusText: init.statusText });
    this.#source = source;
    this.#init = init;
  }

  get headers(): Headers {
    return this.#init.headers;
  }

  get url(): string {
    return this.#init.url;
  }

  get redirected(): boolean {
    return this.#init.redirected;
  }

  get body(): Response['body'] {
    return this.#source ? this.#asStream(this.#source).body : null;
  }

  get bodyUsed(): boolean {
    return this.#isRead || (this.#streamed?.bodyUsed ?? false);
  }

  /** Reads the whole body, once. Gives `undefined` as soon as it is larger, and does not read the rest. */
  async readUpTo(maxBytes: number): Promise<Buffer | undefined> {
    const source = this.#take();
    const pieces: Uint8Array[] = [];
    let size = 0;
    for (let piece = await source?.next(); piece; piece = await source?.next()) {
      size += piece.byteLength;
      if (size > maxBytes) {
        source?.cancel();
        return undefined;
      }
      pieces.push(piece);
    }
    return Buffer.concat(pieces, size);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const bytes = await this.#all();
    return new Uint8Array(bytes).buffer;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.#all());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown;
  }

  async blob(): Promise<Blob> {
    return (await this.#whole()).blob();
  }

  async formData(): Promise<FormData> {
    return (await this.#whole()).formData();
  }

  clone(): Response {
    if (this.bodyUsed) throw used();
    return this.#source ? this.#asStream(this.#source).clone() : new Response(null, this.#init);
  }

  /** Takes the source for reading; there is none where there is no body. */
  #take(): BodySource | undefined {
    if (this.bodyUsed) throw used();
    // A clone reads the same source: both have to go through the stream.
    if (this.#streamed?.body) return sourceOf(this.#streamed.body);
    this.#isRead = this.#source !== undefined;
    return this.#source;
  }

  async #all(): Promise<Uint8Array> {
    return (await this.readUpTo(Number.POSITIVE_INFINITY)) ?? new Uint8Array();
  }

  /** Makes an ordinary response of the answer, for what only that can read. */
  async #whole(): Promise<Response> {
    return new Response(new Uint8Array(await this.#all()), { headers: this.headers });
  }

  #asStream(source: BodySource): Response {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      // By `this`, so that the response lives as long as its stream.
      const piece = await this.#source?.next();
      if (piece) controller.enqueue(plain(piece));
      else controller.close();
    };
    const stream = (): ReadableStream<Uint8Array> =>
      new ReadableStream({ pull, cancel: () => source.cancel() }, { highWaterMark: 0 });
    this.#streamed ??= new Response(stream(), this.#init);
    return this.#streamed;
  }
}

/**
 * Makes plain bytes: a `Buffer` has methods that differ from those of the bytes that a web stream
 * gives.
 */
const plain = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const sourceOf = (stream: ReadableStream<Uint8Array>): BodySource => {
  const reader = stream.getReader();
  return {
    next: async () => (await reader.read()).value,
    cancel: () => void reader.cancel().catch(() => undefined),
  };
};

const used = (): TypeError => new TypeError('Body is unusable: it was read already.');
