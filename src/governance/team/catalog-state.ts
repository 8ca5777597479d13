/** What the publisher of a catalog keeps in its store: one sealed document, changed in one step. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { MemoryStore } from '../../contract/store.ts';
import type {
  KeyHandover,
  PublishedBundle,
  SignedBundle,
  TeamEntry,
  TeamProposal,
} from '../../contract/team.ts';
import { canonicalJson, sha256Hex } from '../../kit/data/canonical-json.ts';
import { isObject } from '../../kit/data/is-record.ts';
import { MacSeals } from '../signing/mac-seals.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';

export interface CatalogState {
  readonly org: string;
  readonly serial: number;
  /** The digest of the last bundle; empty while there is none. */
  readonly lastDigest: string;
  readonly entries: readonly TeamEntry[];
  readonly proposals: readonly TeamProposal[];
  readonly handovers: readonly KeyHandover[];
  /** Newest first. */
  readonly history: readonly PublishedBundle[];
  readonly signed?: SignedBundle;
  /** The ids of the last steps that changed it, newest first. */
  readonly steps?: readonly string[];
}

/** More than can be under way at once. */
const MAX_STEPS = 200;

export const withStep = (state: CatalogState, id: string): CatalogState => ({
  ...state,
  steps: [id, ...(state.steps ?? [])].slice(0, MAX_STEPS),
});

/** Tells whether the state was changed by that step. */
export const hasTaken = ({ steps = [] }: CatalogState, id: unknown): boolean =>
  steps.some((each) => each === id);

/** No tool reaches this space: those of tools are JSON arrays. */
const SPACE = 'toolcrib:team-catalog';
const PURPOSE = 'toolcrib team catalog 1';

const emptyState = (org: string): CatalogState => ({
  org,
  serial: 0,
  lastDigest: '',
  entries: [],
  proposals: [],
  handovers: [],
  history: [],
});

const foreign = (): ToolFailure =>
  new ToolFailure('SECURITY_VIOLATION', 'The stored catalog was not written with this key.', {
    suggestions: [
      'After the signing key was replaced: toolcrib team rotate --from <file of the key before>.',
      'Otherwise restore the store from a backup.',
    ],
  });

export interface CatalogStateDeps {
  readonly org: string;
  store(): Promise<{ readonly memory: MemoryStore }>;
  key(): Promise<SigningKey>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

const textOf = (state: CatalogState): string => `${PURPOSE}\n${canonicalJson(state)}`;

/** Reads and changes the state. A row that this key did not seal is refused, never overwritten. */
export class CatalogStates {
  readonly #deps: CatalogStateDeps;

  constructor(deps: CatalogStateDeps) {
    this.#deps = deps;
  }

  async read(): Promise<CatalogState> {
    const { org, runtime } = this.#deps;
    const { memory } = await this.#deps.store();
    return this.#opened(await memory.read(SPACE, org, runtime.now()), await this.#seals());
  }

  /** Changes the state in one step for all processes. What `change` throws leaves it as it was. */
  async change(
    change: (state: CatalogState) => CatalogState,
    before?: SigningKey,
  ): Promise<CatalogState> {
    const { org, runtime } = this.#deps;
    const { memory } = await this.#deps.store();
    const seals = await this.#seals();
    const opening = before ? this.#sealsOf(before) : seals;
    const at = { space: SPACE, key: org, now: runtime.now() };
    let changed: CatalogState | undefined;
    await memory.update(at, (value) => {
      changed = change(this.#opened(value, opening));
      return { state: changed, seal: seals.seal(textOf(changed)) };
    });
    return changed as unknown as CatalogState;
  }

  /** Keeps a bundle, so that its content can be restored later. */
  async keepBundle(serial: number, signed: SignedBundle): Promise<void> {
    const { memory } = await this.#deps.store();
    await memory.write({ space: SPACE, key: this.#bundleKey(serial), value: signed });
  }

  /** Keeps the bundle in force once more: a crash may have come between its publication and its keeping. */
  async keepCurrent(): Promise<void> {
    const { serial, signed } = await this.read();
    if (signed) await this.keepBundle(serial, signed);
  }

  /** Gives a bundle of the history as it was published; nothing when it is gone or was changed. */
  async keptBundle({ serial, digest }: PublishedBundle): Promise<SignedBundle | undefined> {
    const { memory } = await this.#deps.store();
    const value = await memory.read(SPACE, this.#bundleKey(serial), this.#deps.runtime.now());
    if (!isObject(value) || typeof value.bundle !== 'string') return undefined;
    return sha256Hex(value.bundle) === digest ? (value as unknown as SignedBundle) : undefined;
  }

  async forgetBundle(serial: number): Promise<void> {
    const { memory } = await this.#deps.store();
    await memory.delete(SPACE, this.#bundleKey(serial));
  }

  /** Makes the key of a bundle. The name of an organisation has no slash. */
  #bundleKey(serial: number): string {
    return `${this.#deps.org}/${serial}`;
  }

  async #seals(): Promise<MacSeals> {
    return this.#sealsOf(await this.#deps.key());
  }

  #sealsOf(key: SigningKey): MacSeals {
    return new MacSeals(key.deriveKey(PURPOSE), this.#deps.runtime.log);
  }

  #opened(value: unknown, seals: MacSeals): CatalogState {
    const { org } = this.#deps;
    if (value === undefined || value === null) return emptyState(org);
    if (!isObject(value) || !isObject(value.state)) throw foreign();
    const { state, seal } = value as unknown as { state: CatalogState; seal: unknown };
    const isOurs = typeof seal === 'string' && seals.isOurs(textOf(state), seal);
    if (!isOurs || state.org !== org) throw foreign();
    return state;
  }
}
