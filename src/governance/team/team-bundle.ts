/** Signs bundles of a team, and reads them: nothing of a bundle counts before all of it was verified. */
import { z } from 'zod';
import { ToolFailure } from '../../contract/errors.ts';
import {
  BUNDLE_FORMAT,
  type KeyHandover,
  type SignedBundle,
  type TeamBundle,
} from '../../contract/team.ts';
import { canonicalJson, sha256Hex } from '../../kit/data/canonical-json.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';
import { isPublicKey, verifySignature } from '../signing/verify-signature.ts';
import { entryKey, entrySchema } from './entry-shape.ts';

/** The longest text of a bundle, and of what a server sends. */
const MAX_BUNDLE_CHARS = 8_000_000;
export const MAX_SIGNED_BYTES = 20_000_000;
export const MAX_ENTRIES = 500;
/** How many changes of the key a bundle lists. */
export const MAX_HANDOVERS = 20;

export const orgSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, '1 to 63 lower-case letters, digits, "." or "-"');

const moment = z.int().min(0);
const key = z.string().refine(isPublicKey, 'is no public key');

const bundleSchema = z.strictObject({
  format: z.literal(BUNDLE_FORMAT),
  org: orgSchema,
  serial: z.int().min(1),
  issuedAt: moment,
  expiresAt: moment.exactOptional(),
  previous: z.string().regex(/^(?:[0-9a-f]{64})?$/),
  entries: z.array(entrySchema).max(MAX_ENTRIES),
});

const signedSchema = z.strictObject({
  bundle: z.string().max(MAX_BUNDLE_CHARS),
  publicKey: key,
  signature: z.string().max(200),
  handovers: z
    .array(z.strictObject({ from: key, to: key, at: moment, signature: z.string().max(200) }))
    .max(MAX_HANDOVERS),
});

const bundleText = (bundle: string): string => `${BUNDLE_FORMAT}\n${bundle}`;

const handoverText = (org: string, { from, to, at }: Omit<KeyHandover, 'signature'>): string =>
  `toolcrib team key 1\n${canonicalJson({ org, from, to, at })}`;

export const digestOfBundle = ({ bundle }: Pick<SignedBundle, 'bundle'>): string =>
  sha256Hex(bundle);

export const signBundle = (
  bundle: TeamBundle,
  signer: Pick<SigningKey, 'publicKey' | 'sign'>,
  handovers: readonly KeyHandover[],
): SignedBundle => {
  const text = canonicalJson(bundle);
  if (text.length > MAX_BUNDLE_CHARS) {
    throw new ToolFailure('CONFLICT', 'The catalog is too large to be published.', {
      suggestions: ['Remove entries that nobody uses.'],
    });
  }
  const signature = signer.sign(bundleText(text));
  return { bundle: text, publicKey: signer.publicKey, signature, handovers };
};

/** Signs, with the key before, that another key signs from now on. */
export const signHandover = (
  before: Pick<SigningKey, 'publicKey' | 'sign'>,
  { org, to, at }: { readonly org: string; readonly to: string; readonly at: number },
): KeyHandover => {
  const handover = { from: before.publicKey, to, at };
  return { ...handover, signature: before.sign(handoverText(org, handover)) };
};

/** Shows a key as people compare it: the first 20 bytes of its digest. */
export const fingerprintOf = (publicKey: string): string =>
  (sha256Hex(publicKey).slice(0, 40).match(/.{4}/g) ?? []).join(':');

export interface VerifiedBundle {
  readonly bundle: TeamBundle;
  readonly digest: string;
  /** The key that signed: from now on no older one is accepted. */
  readonly publicKey: string;
  readonly signed: SignedBundle;
}

const refuse = (message: string): never => {
  throw new ToolFailure('SECURITY_VIOLATION', `The bundle is refused: ${message}.`, {
    suggestions: ['The last good bundle stays in force. Tell the people who maintain the catalog.'],
  });
};

/** Follows the handovers from the trusted key to the one that signs now. */
const currentKey = (
  { handovers }: SignedBundle,
  { org, publicKey }: { readonly org: string; readonly publicKey: string },
): string => {
  let trusted = publicKey;
  for (const { signature, ...handover } of handovers) {
    if (handover.from !== trusted) continue;
    const text = handoverText(org, handover);
    if (!verifySignature({ publicKey: trusted, text, signature })) {
      refuse('a change of its key is not signed by the key before');
    }
    trusted = handover.to;
  }
  return trusted;
};

const faultOf = ({ issues }: z.ZodError): string => {
  const { path = [], message = 'unknown' } = issues[0] ?? {};
  return `${path.join('.') || 'it'}: ${message}`;
};

const contentOf = (text: string): TeamBundle => {
  const json = parseStrictJson(text);
  if ('flaw' in json) return refuse('its content is no valid JSON');
  const parsed = bundleSchema.safeParse(json.value);
  if (!parsed.success) return refuse(`its content cannot be read (${faultOf(parsed.error)})`);
  const bundle = parsed.data as TeamBundle;
  if (canonicalJson(bundle) !== text) refuse('its content is not in the canonical form');
  if (new Set(bundle.entries.map(entryKey)).size !== bundle.entries.length) {
    refuse('it has two entries of one name');
  }
  return bundle;
};

export interface Trusted {
  readonly org: string;
  /** The key of the enrolment, or the last one that was handed over to. */
  readonly publicKey: string;
}

/** Verifies what a server or a file gave. Throws SECURITY_VIOLATION with the reason. */
export const verifyBundle = (value: unknown, trusted: Trusted): VerifiedBundle => {
  const parsed = signedSchema.safeParse(value);
  if (!parsed.success) return refuse(`its form is unknown (${faultOf(parsed.error)})`);
  const signed: SignedBundle = parsed.data;
  const publicKey = currentKey(signed, trusted);
  if (signed.publicKey !== publicKey) refuse('another key than that of the team has signed it');
  const { bundle: text, signature } = signed;
  if (!verifySignature({ publicKey, text: bundleText(text), signature })) {
    refuse('its signature does not fit its content');
  }
  const bundle = contentOf(text);
  if (bundle.org !== trusted.org) refuse('it is the bundle of another organisation');
  return { bundle, digest: digestOfBundle(signed), publicKey, signed };
};
