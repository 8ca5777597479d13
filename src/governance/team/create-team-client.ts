/**
 * The client of a team's catalog. A bundle takes effect only after all of it was verified, at every start
 * and every sync: signature, organisation, serial, age. A bad one changes nothing but the reported fault.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { TeamClient, TeamState } from '../../contract/team.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { readBytes } from '../../kit/http/read-reply.ts';
import { codeForStatus } from '../../kit/http/status-code.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import {
  fingerprintOf,
  MAX_SIGNED_BYTES,
  type Trusted,
  type VerifiedBundle,
  verifyBundle,
} from './team-bundle.ts';
import type { TeamFiles, TeamRecord } from './team-files.ts';

export interface TeamClientDeps {
  readonly url: string;
  readonly org: string;
  /** The key of the enrolment. */
  readonly publicKey: string;
  readonly files: TeamFiles;
  readonly runtime: Pick<Runtime, 'now'>;
  /** Reaches the host of the server and no other. */
  readonly fetch: typeof globalThis.fetch;
  /** Returns the token for the server. Rejects with AUTH_MISSING where there is none. */
  token(): Promise<string>;
}

/** How long the tools of a bundle are used after its end: a server may be away for a while. */
export const GRACE_MS = 7 * DAY_MS;

const refuse = (message: string): ToolFailure =>
  new ToolFailure('SECURITY_VIOLATION', message, {
    suggestions: ['The last good bundle stays in force. Tell the people who maintain the catalog.'],
  });

/** Reads the reply of a server of a catalog, within limits. */
const readCatalog = async (
  fetch: typeof globalThis.fetch,
  url: string,
  init: { readonly token: string; readonly signal: AbortSignal },
): Promise<unknown> => {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${init.token}`, accept: 'application/json' },
    signal: init.signal,
    redirect: 'error',
  });
  if (!response.ok) {
    await response.body?.cancel();
    const message = `The server of the catalog answered with status ${response.status}.`;
    throw new ToolFailure(codeForStatus(response.status), message);
  }
  const text = new TextDecoder().decode(await readBytes(response, MAX_SIGNED_BYTES));
  const json = parseStrictJson(text);
  if ('flaw' in json) throw refuse('The server of the catalog sent no valid JSON.');
  return json.value;
};

class Client implements TeamClient {
  readonly #deps: TeamClientDeps;
  readonly #watchers = new Set<() => void>();
  #verified: VerifiedBundle | undefined = undefined;
  #record: TeamRecord | undefined = undefined;
  #fault: string | undefined = undefined;

  constructor(deps: TeamClientDeps) {
    this.#deps = deps;
  }

  /** Reads the files. Never rejects: the state holds the reason. */
  async open(): Promise<void> {
    try {
      this.#verified = await this.#stored();
    } catch (error) {
      this.#fault = reasonOf(error);
    }
  }

  state(): TeamState {
    const { org, url, publicKey } = this.#deps;
    const { bundle, digest } = this.#verified ?? {};
    return {
      org,
      url,
      fingerprint: fingerprintOf(this.#record?.publicKey ?? publicKey),
      isExpired: this.#isOver(bundle?.expiresAt),
      ...(bundle && { bundle }),
      ...(digest !== undefined && { digest }),
      ...(this.#record && { syncedAt: this.#record.syncedAt }),
      ...(this.#fault !== undefined && { fault: this.#fault }),
    };
  }

  onChange(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  async sync(signal: AbortSignal): Promise<boolean> {
    try {
      const next = await this.#fetched(signal);
      const isOther = next.digest !== this.#verified?.digest;
      await this.#keep(next);
      if (isOther) for (const changed of this.#watchers) changed();
      return isOther;
    } catch (error) {
      this.#fault = reasonOf(error);
      throw error;
    }
  }

  #isOver(expiresAt: number | undefined): boolean {
    return expiresAt !== undefined && this.#deps.runtime.now() > expiresAt + GRACE_MS;
  }

  #trusted(): Trusted {
    const { org, publicKey } = this.#deps;
    return { org, publicKey: this.#record?.publicKey ?? publicKey };
  }

  async #stored(): Promise<VerifiedBundle> {
    const reading = await this.#deps.files.record();
    if (reading.state !== 'good') {
      throw refuse(`The record of the last sync is ${reading.state}; sync again.`);
    }
    const { record } = reading;
    if (record.org !== this.#deps.org) throw refuse('The record is that of another organisation.');
    this.#record = record;
    const value = await this.#deps.files.bundle();
    if (value === undefined) throw refuse('The bundle of the last sync is missing; sync again.');
    const verified = verifyBundle(value, this.#trusted());
    this.#assertNotOlder(verified);
    return verified;
  }

  /** Reads the record anew: another process may have synced in the meantime. */
  async #readRecord(): Promise<void> {
    const reading = await this.#deps.files.record();
    if (reading.state !== 'good') return;
    // Settings name a team, but only `toolcrib team leave` ends a membership.
    if (reading.record.org !== this.#deps.org) {
      throw refuse(`You are in the team ${reading.record.org}; leave it first.`);
    }
    this.#record = reading.record;
  }

  /** Refuses what was in force once, and another bundle under a serial that was seen. */
  #assertNotOlder({ bundle, digest }: VerifiedBundle): void {
    const record = this.#record;
    if (!record) return;
    if (bundle.serial < record.serial) {
      throw refuse(
        `The bundle is refused: serial ${bundle.serial} is older than ${record.serial}.`,
      );
    }
    if (bundle.serial === record.serial && digest !== record.digest) {
      throw refuse('The bundle is refused: another one with the same serial was in force.');
    }
    if (bundle.serial === record.serial + 1 && bundle.previous !== record.digest) {
      throw refuse('The bundle is refused: it does not follow the one in force.');
    }
  }

  /**
   * Refuses a bundle older than the stored one: without a record, that shows how far this client
   * has come.
   */
  async #assertNotBelowStored({ bundle }: VerifiedBundle): Promise<void> {
    const stored = await this.#deps.files.bundle();
    if (stored === undefined || stored === null) return;
    let serial = 0;
    try {
      serial = verifyBundle(stored, this.#trusted()).bundle.serial;
    } catch {
      // One that cannot be verified shows nothing.
    }
    if (bundle.serial >= serial) return;
    throw refuse(`The bundle is refused: serial ${bundle.serial} is older than ${serial}.`);
  }

  async #fetched(signal: AbortSignal): Promise<VerifiedBundle> {
    const { fetch, url, token } = this.#deps;
    const address = `${url.replace(/\/+$/, '')}/v1/catalog/bundle`;
    const value = await readCatalog(fetch, address, { token: await token(), signal });
    await this.#readRecord();
    const verified = verifyBundle(value, this.#trusted());
    this.#assertNotOlder(verified);
    if (!this.#record) await this.#assertNotBelowStored(verified);
    if (this.#isOver(verified.bundle.expiresAt)) {
      throw refuse('The bundle is refused: its time is over.');
    }
    return verified;
  }

  /**
   * Stores the bundle, then the record: a record without its bundle would refuse every older one.
   */
  async #keep(verified: VerifiedBundle): Promise<void> {
    const { files, org, url, runtime } = this.#deps;
    const { bundle, digest, publicKey, signed } = verified;
    await this.#readRecord();
    this.#assertNotOlder(verified);
    await files.writeBundle(signed);
    const record = { org, url, publicKey, serial: bundle.serial, digest, syncedAt: runtime.now() };
    await files.writeRecord(record);
    this.#record = record;
    this.#verified = verified;
    this.#fault = undefined;
  }
}

/** Opens the client with what its files hold. Makes no request. */
export const openTeamClient = async (deps: TeamClientDeps): Promise<TeamClient> => {
  const client = new Client(deps);
  await client.open();
  return client;
};
