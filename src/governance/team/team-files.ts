/**
 * The files of a client: the last good bundle, and a sealed record of the highest serial and the key seen so
 * far. The two lie in different folders, and the record is no cache: without it no bundle is trusted.
 */
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Logger } from '../../contract/runtime.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { readCheckedFile } from '../../kit/file/private-file.ts';
import { putFile } from '../../kit/file/replace-file.ts';
import { MacSeals } from '../signing/mac-seals.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';
import { MAX_SIGNED_BYTES } from './team-bundle.ts';

const recordSchema = z.strictObject({
  org: z.string(),
  url: z.string(),
  /** The key that signed the last bundle. */
  publicKey: z.string(),
  /** The highest ever seen. */
  serial: z.int().min(1),
  digest: z.string(),
  syncedAt: z.number(),
});

export type TeamRecord = Readonly<z.infer<typeof recordSchema>>;

const sealedSchema = z.strictObject({ record: recordSchema, seal: z.string() });

const PURPOSE = 'toolcrib team record 1';
const MAX_RECORD_BYTES = 10_000;

export type RecordReading =
  | { readonly state: 'good'; readonly record: TeamRecord }
  | { readonly state: 'missing' | 'changed' };

export interface TeamFilesDeps {
  /** The user's folder, absolute. */
  readonly home: string;
  key(): Promise<SigningKey>;
  readonly log: Logger;
}

const recordFile = (home: string): string => join(home, 'keys', 'team.json');
const bundleFile = (home: string): string => join(home, 'teams', 'bundle.json');

/** Reads a file as JSON; nothing when it is missing, too large or no JSON. */
const readJson = async (path: string, maxBytes: number): Promise<unknown> => {
  try {
    const bytes = await readCheckedFile(path, { maxBytes, noLink: true });
    if (typeof bytes === 'string') return null;
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    return errorCodeOf(error) === 'ENOENT' ? undefined : null;
  }
};

const write = async (path: string, value: unknown): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await putFile(path, JSON.stringify(value));
};

export class TeamFiles {
  readonly #deps: TeamFilesDeps;

  constructor(deps: TeamFilesDeps) {
    this.#deps = deps;
  }

  async record(): Promise<RecordReading> {
    const value = await readJson(recordFile(this.#deps.home), MAX_RECORD_BYTES);
    if (value === undefined) return { state: 'missing' };
    const parsed = sealedSchema.safeParse(value);
    if (!parsed.success) return { state: 'changed' };
    const { record, seal } = parsed.data;
    const isOurs = (await this.#seals()).isOurs(this.#text(record), seal);
    return isOurs ? { state: 'good', record } : { state: 'changed' };
  }

  async writeRecord(record: TeamRecord): Promise<void> {
    const seal = (await this.#seals()).seal(this.#text(record));
    await write(recordFile(this.#deps.home), { record, seal });
  }

  /** Gives what the file holds, unverified; nothing when there is none, `null` when it is no JSON. */
  bundle(): Promise<unknown> {
    return readJson(bundleFile(this.#deps.home), MAX_SIGNED_BYTES);
  }

  writeBundle(signed: unknown): Promise<void> {
    return write(bundleFile(this.#deps.home), signed);
  }

  async remove(): Promise<void> {
    await rm(bundleFile(this.#deps.home), { force: true });
    await rm(recordFile(this.#deps.home), { force: true });
  }

  #text(record: TeamRecord): string {
    return `${PURPOSE}\n${canonicalJson(record)}`;
  }

  async #seals(): Promise<MacSeals> {
    return new MacSeals((await this.#deps.key()).deriveKey(PURPOSE), this.#deps.log);
  }
}
