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

/** A page that an MCP server asks the person behind a call to open, e.g. to log in there. */
export interface UrlElicitation {
  readonly server: string;
  readonly message: string;
  /** Checked: https, or this machine, and without a user name. */
  readonly url: string;
}

/** Asks the person whether to open the page; `accept` has no content. A rejection counts as `decline`. */
export type ElicitUrl = (
  question: UrlElicitation,
  signal: AbortSignal,
) => Promise<ElicitationAnswer>;

/** Asks the person. A rejection counts as `decline`. */
export type Elicit = (question: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;
