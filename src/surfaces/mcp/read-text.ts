/** The body of a request of Node's as text, up to a limit. */
import type { IncomingMessage } from 'node:http';
import { gatherBody } from '../gather-body.ts';

/** A small body has come with its headers: taking it at once spares a round of events. */
const taken = (incoming: IncomingMessage, most: number): Buffer | undefined => {
  if (incoming.readableLength > most) return undefined;
  return (incoming.read() as Buffer | null) ?? Buffer.alloc(0);
};

const BYTE_ORDER_MARK = '\uFEFF';

/** Undefined when there is more than allowed. */
export const readText = async (
  incoming: IncomingMessage,
  most: number,
): Promise<string | undefined> => {
  const isHere = incoming.complete && !incoming.destroyed;
  const bytes = isHere ? taken(incoming, most) : await gatherBody(incoming, most);
  const text = bytes?.toString('utf8');
  return text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
};
