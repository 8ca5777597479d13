/** One step of the pipeline. It either answers itself or passes the call, with its proof, to `next`. */
import type { Call, Evidence, Next } from './call.ts';
import type { ToolResult } from './result.ts';

/**
 * Needs the evidence `Needs`, adds `Adds`. `next` only takes a call that carries the new proof, so
 * a gate cannot wave a call through without it, and forgetting `return next(…)` does not compile.
 */
export type Stage<Needs extends keyof Evidence, Adds extends keyof Evidence = never> = (
  call: Call<Needs>,
  next: Next<Call<Needs | Adds>>,
) => Promise<ToolResult>;

/** The last step: it runs the tool, so it asks for everything. */
export type FinalStage = (call: Call<keyof Evidence>) => Promise<ToolResult>;
