/** Remembers which sandboxes work on this machine. */
import type { Sandboxes, SandboxType } from '../../contract/sandbox.ts';

type Readiness = Awaited<ReturnType<Sandboxes['readiness']>>;

/** Sandboxes of every installation. The others are listed once they were tried. */
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
    const results = await this.#sandboxes.readiness();
    this.#types = results.filter(({ ready }) => ready).map(({ type }) => type);
    return results;
  }

  /** Lists the sandboxes that are known to work. The first call tries the others in the background. */
  types(): readonly SandboxType[] {
    this.#first ??= this.readiness().catch(() => undefined);
    return this.#types;
  }

  /** Resolves when the background check is over. */
  async settled(): Promise<void> {
    await this.#first;
  }
}
