/** The body of a request of Node's, up to a limit. */
import type { IncomingMessage } from 'node:http';

const NOTHING = Buffer.alloc(0);

/** One that is all there; nothing when it is too much. */
const taken = (incoming: IncomingMessage, most: number): Buffer | undefined =>
  incoming.readableLength > most ? undefined : ((incoming.read() as Buffer | null) ?? NOTHING);

/** As it arrives. Resolves to nothing as soon as it is too much; rejects when the client goes. */
const pieceByPiece = (incoming: IncomingMessage, most: number): Promise<Buffer | undefined> =>
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

/**
 * A small body comes with its headers, but Node hands it over only after them. A turn later it is all
 * there, and taking it then costs less than being told of each piece.
 */
export const gatherBody = (incoming: IncomingMessage, most: number): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    setImmediate(() => {
      const isHere = incoming.complete && !incoming.destroyed;
      resolve(isHere ? taken(incoming, most) : pieceByPiece(incoming, most));
    });
  });
