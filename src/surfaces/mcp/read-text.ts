/** The body of a request of Node's as text, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { gatherBody } from '../gather-body.ts';

const BYTE_ORDER_MARK = '\uFEFF';

const toText = (bytes: Buffer | undefined): string | undefined => {
  const text = bytes?.toString('utf8');
  return text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
};

/** Undefined when there is more than allowed. */
export const readText = (incoming: IncomingMessage, most: number): Promise<string | undefined> =>
  gatherBody(incoming, most).then(toText);
