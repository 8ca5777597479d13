/** The body of a request of Node's as text, up to a limit. */
import type { IncomingMessage } from 'node:http';

/** As it arrives. Resolves to nothing as soon as it is too much; rejects when the client goes. */
const gather = (incoming: IncomingMessage, most: number): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (settle: () => void): void => {
      incoming.off('data', take).off('end', whole).off('error', cut).off('close', cut);
      settle();
    };
    const take = (chunk: Buffer): void => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= most) return;
      incoming.pause();
      end(() => resolve(undefined));
    };
    const whole = (): void => end(() => resolve(Buffer.concat(chunks)));
    const cut = (): void => end(() => reject(new TypeError('The client has gone.')));
    incoming.on('data', take).on('end', whole).on('error', cut).on('close', cut);
    if (incoming.destroyed) cut();
  });

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
  const bytes = isHere ? taken(incoming, most) : await gather(incoming, most);
  const text = bytes?.toString('utf8');
  return text?.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
};
