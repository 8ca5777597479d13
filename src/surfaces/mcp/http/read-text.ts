/** The body of a request of Node's as text, up to a limit. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { withoutByteOrderMark } from '../../../kit/text/byte-order-mark.ts';
import { gatherBody } from '../../gather-body.ts';

const toText = (bytes: Buffer | undefined): string | undefined => {
  // Repaired bytes would be others than those that were sent.
  if (bytes && !isUtf8(bytes)) throw new TypeError('The body is not UTF-8.');
  const text = bytes?.toString('utf8');
  return text && withoutByteOrderMark(text);
};

/** Undefined when there is more than allowed. Rejects when it is not UTF-8. */
export const readText = (incoming: IncomingMessage, most: number): Promise<string | undefined> =>
  gatherBody(incoming, most).then(toText);
