/** Makes UUIDs of version 7 (RFC 9562): ordered by time, with 74 random bits. */
import { randomBytes } from 'node:crypto';

/** Bytes of the time in milliseconds. */
const TIME_BYTES = 6;

export const uuidV7 = (now: number): string => {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, TIME_BYTES);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  const hex = bytes.toString('hex');
  return [8, 12, 16, 20, 32]
    .map((end, at, ends) => hex.slice(at === 0 ? 0 : ends[at - 1], end))
    .join('-');
};
