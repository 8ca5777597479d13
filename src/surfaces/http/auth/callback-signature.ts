/**
 * Checks the signature of a callback: HMAC-SHA256 over the time and the bytes as they came, under a
 * secret that only the sender and we have.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedCallback {
  /** Seconds since the epoch, as the header says. */
  readonly timestamp: string | undefined;
  /** `sha256=` and hexadecimal digits. */
  readonly signature: string | undefined;
  /** As it was received, before anything has parsed it. */
  readonly body: Uint8Array;
}

/** How far the time of a callback may be from ours, in both directions. */
export const CALLBACK_WINDOW_MS = 300_000;

const TIMESTAMP = /^[1-9]\d{9,10}$/;
const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/** Reads the time; `undefined` for one that is malformed or outside the window. */
const timeOf = (timestamp: string | undefined, now: number): number | undefined => {
  if (timestamp === undefined || !TIMESTAMP.test(timestamp)) return undefined;
  const at = Number(timestamp) * 1_000;
  return Math.abs(now - at) <= CALLBACK_WINDOW_MS ? at : undefined;
};

/** Returns until when the signature would be accepted; nothing for a callback that is not genuine. */
export const verifyCallback = (
  { timestamp, signature, body }: SignedCallback,
  secret: string,
  now: number,
): { readonly expiresAt: number } | undefined => {
  const at = timeOf(timestamp, now);
  const digits = signature === undefined ? undefined : SIGNATURE.exec(signature)?.[1];
  if (at === undefined || digits === undefined) return undefined;
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  if (!timingSafeEqual(digest, Buffer.from(digits, 'hex'))) return undefined;
  return { expiresAt: at + CALLBACK_WINDOW_MS };
};
