/** A question of an MCP server to the person behind a call, and the answer. */

export interface Elicitation {
  readonly server: string;
  readonly message: string;
  /** JSON Schema of a flat object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
}

/** Asks the person. A rejection counts as `decline`. */
export type Elicit = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;
