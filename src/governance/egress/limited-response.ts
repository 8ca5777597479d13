/** Limits the body of a response: bytes are counted as the tool reads them, unpacked. */
import type { Response as UndiciResponse } from 'undici';
import { ToolFailure } from '../../contract/errors.ts';
import { networkFailure, tooLarge } from './network-failure.ts';

const MAX_STATUS = 599;

export interface ResponseFrame {
  readonly url: URL;
  readonly redirected: boolean;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** An undici response that has a body. */
type Bodied = UndiciResponse & { readonly body: NonNullable<UndiciResponse['body']> };
type Reader = ReadableStreamDefaultReader<Uint8Array>;

const hasBody = (response: UndiciResponse): response is Bodied => response.body !== null;

/**
 * Limits a body. The reader is taken with the first read: until then undici itself frees the
 * connection of an abandoned response, which is why `response` is held and not only its body.
 */
const limitedBody = (
  response: Bodied,
  { maxBytes, signal }: ResponseFrame,
): ReadableStream<Uint8Array> => {
  let reader: Reader | undefined;
  let seen = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    reader ??= response.body.getReader() as Reader;
    const { done, value } = await reader.read();
    if (done) {
      controller.close();
      return;
    }
    seen += value.byteLength;
    if (seen > maxBytes) {
      await reader.cancel();
      throw tooLarge();
    }
    controller.enqueue(value);
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          throw signal.aborted ? error : networkFailure(error);
        }),
      cancel: (reason) => (reader ?? response.body).cancel(reason),
    },
    { highWaterMark: 0 },
  );
};

/** Finds what is wrong with a response before its body is read. A packed length says nothing. */
const faultOf = (response: UndiciResponse, maxBytes: number): ToolFailure | undefined => {
  const { status, headers } = response;
  if (status > MAX_STATUS) {
    return new ToolFailure('SERVER_ERROR', 'The remote host answered with an unknown status.');
  }
  const plain = hasBody(response) && !headers.has('content-encoding');
  return plain && Number(headers.get('content-length')) > maxBytes ? tooLarge() : undefined;
};

/** Fails with `OUTPUT_TOO_LARGE` at once when the other side already says so. */
export const limitedResponse = async (
  response: UndiciResponse,
  frame: ResponseFrame,
): Promise<Response> => {
  const fault = faultOf(response, frame.maxBytes);
  if (fault !== undefined) {
    await response.body?.cancel();
    throw fault;
  }
  const { status, statusText } = response;
  const headers = new Headers([...response.headers]);
  const body = hasBody(response) ? limitedBody(response, frame) : null;
  const framed = new Response(body, { status, statusText, headers });
  return Object.defineProperties(framed, {
    url: { value: frame.url.href },
    redirected: { value: frame.redirected },
  });
};
