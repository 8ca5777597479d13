/** Makes the next bundle of a catalog, and the state of the catalog with it in force. */
import {
  BUNDLE_FORMAT,
  type PublishedBundle,
  type TeamBundle,
  type TeamEntry,
} from '../../contract/team.ts';
import { conflict } from '../../kit/data/coded-failures.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';
import type { CatalogState } from './catalog-state.ts';
import { entryKey } from './entry-shape.ts';
import { digestOfBundle, MAX_ENTRIES, signBundle } from './team-bundle.ts';

const MAX_HISTORY = 100;

export interface BundleContent {
  readonly entries: readonly TeamEntry[];
  /** The ids of the proposals that it publishes. */
  readonly proposals: readonly string[];
}

export interface Publication extends Pick<PublishedBundle, 'note' | 'restored'> {
  readonly publishedBy: string;
  readonly at: number;
  readonly expiresDays: number | undefined;
  readonly key: Pick<SigningKey, 'publicKey' | 'sign'>;
}

export interface NextState {
  readonly state: CatalogState;
  readonly published: PublishedBundle;
  /** Those that the history keeps no longer. */
  readonly dropped: readonly PublishedBundle[];
}

const sorted = (entries: readonly TeamEntry[]): readonly TeamEntry[] =>
  entries.toSorted((a, b) => (entryKey(a) < entryKey(b) ? -1 : 1));

const bundleAfter = (
  { org, serial, lastDigest }: CatalogState,
  entries: readonly TeamEntry[],
  { at, expiresDays }: Publication,
): TeamBundle => ({
  format: BUNDLE_FORMAT,
  org,
  serial: serial + 1,
  issuedAt: at,
  entries: sorted(entries),
  previous: lastDigest,
  ...(expiresDays !== undefined && { expiresAt: at + expiresDays * DAY_MS }),
});

/** Signs the content as the bundle after the one in force. Throws CONFLICT for one that is too large. */
export const nextState = (
  before: CatalogState,
  { entries, proposals }: BundleContent,
  publication: Publication,
): NextState => {
  if (entries.length > MAX_ENTRIES) {
    throw conflict('The catalog has too many entries.', `Remove some: ${MAX_ENTRIES} fit.`);
  }
  const bundle = bundleAfter(before, entries, publication);
  const { key, at, note, restored, publishedBy } = publication;
  const signed = signBundle(bundle, key, before.handovers);
  const { serial, previous, expiresAt } = bundle;
  const digest = digestOfBundle(signed);
  const published: PublishedBundle = {
    serial,
    previous,
    digest,
    entries: entries.length,
    proposals,
    publishedBy,
    publishedAt: at,
    ...(note !== undefined && { note }),
    ...(restored !== undefined && { restored }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
  const history = [published, ...before.history];
  return {
    published,
    dropped: history.slice(MAX_HISTORY),
    state: {
      ...before,
      serial,
      entries: bundle.entries,
      signed,
      lastDigest: digest,
      history: history.slice(0, MAX_HISTORY),
      proposals: before.proposals.map((each) =>
        proposals.includes(each.id) ? { ...each, state: 'published' as const, serial } : each,
      ),
    },
  };
};
