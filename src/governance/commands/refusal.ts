/** Refusals of the command guard: thrown inside, turned into a verdict by `createCommandGuard`. */

/** Why a command is refused and what to do instead; holds no argument values. */
export class Refusal extends Error {
  readonly remedy: string;

  constructor(reason: string, remedy: string) {
    super(reason);
    this.remedy = remedy;
  }
}

export const refuse = (reason: string, remedy: string): never => {
  throw new Refusal(reason, remedy);
};
