/** The body of a request of Node's as text, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { gatherBody } from '../gather-body.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** Undefined when there is more than allowed. */
export const readText = async (
  incoming: IncomingMessage,
  most: number,
): Promise<string | undefined> => {
  const bytes = await gatherBody(incoming, most);
  const text = bytes?.toString('utf8');
  return text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
};
