/** A request of an MCP server to use the language model of the client behind a call. */

export interface SamplingRequest {
  readonly server: string;
  /** `params` of `sampling/createMessage`, without the fields that are not passed on. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Asks the client's model, and returns the result of `sampling/createMessage`. Rejects when it refuses. */
export type Sample = (
  request: SamplingRequest,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, unknown>>>;
