/** Unpacks the body of an answer, and counts what comes out: a small body may unpack to a huge one. */
import { pipeline, Readable, type Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  constants as zlib,
} from 'node:zlib';
import type { BodySource } from '../../kit/http/pulled-response.ts';
import { networkFailure, tooLarge } from './network-failure.ts';

/** More are refused: each costs a decoder. */
const MAX_CODINGS = 5;

/** Gives what there is when a body ends early, as browsers do. */
const LENIENT = { flush: zlib.Z_SYNC_FLUSH, finishFlush: zlib.Z_SYNC_FLUSH };
const LENIENT_BROTLI = {
  flush: zlib.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.BROTLI_OPERATION_FLUSH,
};

/** Opens a decoder for a body that starts with these bytes. */
type OpenDecoder = (first: Uint8Array) => Transform;

const gunzip: OpenDecoder = () => createGunzip(LENIENT);

const DECODERS: ReadonlyMap<string, OpenDecoder> = new Map<string, OpenDecoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', () => createBrotliDecompress(LENIENT_BROTLI)],
  // Some servers send it without the frame that the standard asks for.
  [
    'deflate',
    ([byte = 0]) => ((byte & 0x0f) === 8 ? createInflate(LENIENT) : createInflateRaw(LENIENT)),
  ],
]);

type Pieces = AsyncGenerator<Uint8Array, void>;

async function* piecesOf(source: BodySource): Pieces {
  try {
    for (let piece = await source.next(); piece; piece = await source.next()) yield piece;
  } finally {
    source.cancel();
  }
}

async function* joined(first: Uint8Array, rest: Pieces): Pieces {
  yield first;
  yield* rest;
}

async function* decoded(packed: Pieces, open: OpenDecoder): Pieces {
  const first = await packed.next();
  if (first.done) return;
  const from = Readable.from(joined(first.value, packed), { objectMode: false });
  // A failure is seen by whoever reads the decoder.
  yield* pipeline(from, open(first.value), () => undefined) as AsyncIterable<Uint8Array>;
}

/** Reads `content-encoding`; `undefined` for one that is not known, whose bytes are given as they are. */
const decodersOf = (encoding: string): readonly OpenDecoder[] | undefined => {
  const codings = encoding.toLowerCase().split(',');
  if (codings.length > MAX_CODINGS) throw networkFailure(new Error('too many codings'));
  const decoders = codings.map((coding) => DECODERS.get(coding.trim()));
  return decoders.every((decoder) => decoder !== undefined) ? decoders : undefined;
};

/**
 * Gives the body without its codings. Fails with `OUTPUT_TOO_LARGE` when more than `maxBytes` come out, and
 * with `NETWORK` for codings that cannot be right.
 */
export const unpack = (
  source: BodySource,
  encoding: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): BodySource => {
  const decoders = decodersOf(encoding);
  if (decoders === undefined) return source;
  const pieces = decoders.reduceRight(decoded, piecesOf(source));
  let size = 0;
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await pieces.next();
    if (done) return undefined;
    size += value.byteLength;
    if (size > maxBytes) throw tooLarge();
    return value;
  };
  return {
    next: () =>
      next().catch((error: unknown) => {
        source.cancel();
        throw signal.aborted ? error : networkFailure(error);
      }),
    cancel: () => source.cancel(),
  };
};
