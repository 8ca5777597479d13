/** Knows which sandboxes this machine was found to give. */
import type { Sandboxes, SandboxType } from '../../contract/sandbox.ts';

type Readiness = Awaited<ReturnType<Sandboxes['readiness']>>;

/** What every installation brings along: the others are listed once they were tried. */
const ALWAYS: readonly SandboxType[] = ['wasm', 'worker'];

export class ReadySandboxes {
  readonly #sandboxes: Pick<Sandboxes, 'readiness'>;
  #types = ALWAYS;
  #first: Promise<unknown> | undefined = undefined;

  constructor(sandboxes: Pick<Sandboxes, 'readiness'>) {
    this.#sandboxes = sandboxes;
  }

  /** Tries all of them. */
  async readiness(): Promise<Readiness> {
    const found = await this.#sandboxes.readiness();
    this.#types = found.filter(({ ready }) => ready).map(({ type }) => type);
    return found;
  }

  /** Lists those known to be ready. The first time, the others are tried in the background. */
  types(): readonly SandboxType[] {
    this.#first ??= this.readiness().catch(() => undefined);
    return this.#types;
  }

  /** Resolves when nothing is being tried in the background. */
  async settled(): Promise<void> {
    await this.#first;
  }
}
