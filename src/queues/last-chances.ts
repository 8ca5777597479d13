/**
 * Lets one job at a time run in this process of those whose next death is their last. One of them may be what
 * kills workers; the others only ran beside it, and would be given up with it.
 */

/** How soon a job is looked at again that was put aside. */
export const PUT_ASIDE_MS = 1_000;

export class LastChances {
  #holder: string | undefined = undefined;

  /** Takes the place; false while another job has it. */
  take(jobId: string): boolean {
    this.#holder ??= jobId;
    return this.#holder === jobId;
  }

  giveBack(jobId: string): void {
    if (this.#holder === jobId) this.#holder = undefined;
  }
}
