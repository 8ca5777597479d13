/** Turns an answer into a response with a limited body: bytes are counted as the tool reads them, unpacked. */
import { ToolFailure } from '../../contract/errors.ts';
import { type BodySource, PulledResponse } from '../../kit/http/pulled-response.ts';
import type { Answer, Exchange } from './exchange.ts';
import { tooLarge } from './network-failure.ts';
import { unpack } from './unpack.ts';

const MAX_STATUS = 599;
/** Answers that have no body, whatever their headers say. */
const BARE: ReadonlySet<number> = new Set([204, 205, 304]);

export interface ResponseFrame {
  readonly method: string;
  readonly url: URL;
  readonly redirected: boolean;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Frees the connection of a response that nobody holds and nobody has read to its end. */
const abandoned = new FinalizationRegistry<Exchange>((body) => body.cancel());

/** Finds what is wrong with a response before its body is read. A packed length says nothing. */
const faultOf = ({ status, headers }: Answer, hasBody: boolean, maxBytes: number) => {
  if (status > MAX_STATUS) {
    return new ToolFailure('SERVER_ERROR', 'The remote host answered with an unknown status.');
  }
  const isPlain = hasBody && !headers.has('content-encoding');
  return isPlain && Number(headers.get('content-length')) > maxBytes ? tooLarge() : undefined;
};

const bodyOf = ({ headers, body }: Answer, frame: ResponseFrame): BodySource => {
  const encoding = headers.get('content-encoding');
  return encoding === null ? body : unpack(body, encoding, frame);
};

/** Fails with `OUTPUT_TOO_LARGE` at once when the other side already says so. */
export const limitedResponse = (answer: Answer, frame: ResponseFrame): Response => {
  const { status, statusText, headers, body } = answer;
  const hasBody = frame.method !== 'HEAD' && !BARE.has(status);
  try {
    const fault = faultOf(answer, hasBody, frame.maxBytes);
    if (fault) throw fault;
    const { url, redirected } = frame;
    const response = new PulledResponse(hasBody ? bodyOf(answer, frame) : undefined, {
      status,
      statusText,
      headers,
      redirected,
      url: url.href,
    });
    if (!body.isOver) abandoned.register(response, body);
    return response;
  } catch (error) {
    body.cancel();
    throw error;
  }
};
