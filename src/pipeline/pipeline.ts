/**
 * The machinery of the pipeline: stages are chained once, when the crib is made, and the types
 * keep count of the evidence gathered so far. A missing gate or a wrong order does not compile.
 */
import type { CallRequest, Evidence, Next } from '../contract/call.ts';
import type { ToolResult } from '../contract/result.ts';
import type { FinalStage, Stage } from '../contract/stage.ts';

type Key = keyof Evidence;
export type AnyStage = (call: never, next: Next<never>) => Promise<ToolResult>;

/** Watches calls. The same stages are chained a second time, each in its wrapping. */
export interface Tracer {
  /** Asked for every call; those nobody wants to see take the bare chain. */
  isWanted(): boolean;
  around<S extends AnyStage>(stage: S): S;
  run(call: CallRequest, through: Next<CallRequest>): Promise<ToolResult>;
}

export interface Pipeline<Have extends Key> {
  /** Adds a stage that needs no more evidence than there is by now. */
  through<Needs extends Have, Adds extends Key>(stage: Stage<Needs, Adds>): Pipeline<Have | Adds>;
  /** Closes the list. Takes the final stage only when every gate has been passed. */
  endingIn(final: [Key] extends [Have] ? FinalStage : never): Next<CallRequest>;
}

const joined = (stages: readonly AnyStage[], final: AnyStage): Next<CallRequest> =>
  stages.reduceRight<Next<never>>(
    (next, stage) => (call) => stage(call, next),
    final as Next<never>,
  ) as Next<CallRequest>;

const chain = <Have extends Key>(
  stages: readonly AnyStage[],
  tracer: Tracer | undefined,
): Pipeline<Have> => ({
  through: (stage) => chain([...stages, stage as unknown as AnyStage], tracer),
  endingIn: (last) => {
    const final = last as AnyStage;
    const bare = joined(stages, final);
    if (!tracer) return bare;
    const watched = joined(stages.map(tracer.around), tracer.around(final));
    return (call) => (tracer.isWanted() ? tracer.run(call, watched) : bare(call));
  },
});

/** An empty pipeline: no stage yet, no evidence yet. */
export const pipeline = (tracer?: Tracer): Pipeline<never> => chain<never>([], tracer);

/** Goes on with the rest of the pipeline; what it throws at once rejects like what it throws later. */
export const start = <C>(call: C, next: Next<C>): Promise<ToolResult> => {
  try {
    return next(call);
  } catch (error) {
    return Promise.reject(error);
  }
};

type Proofs = Record<Key, unknown>;

/** Name by name: a place that stores under whatever key it is given is slow for every one of them. */
const put = (proofs: Proofs, key: Key, proof: unknown): void => {
  switch (key) {
    case 'ready':
      proofs.ready = proof;
      return;
    case 'input':
      proofs.input = proof;
      return;
    case 'inspected':
      proofs.inspected = proof;
      return;
    case 'grant':
      proofs.grant = proof;
      return;
    case 'fresh':
      proofs.fresh = proof;
      return;
    case 'admitted':
      proofs.admitted = proof;
      return;
    case 'authenticated':
      proofs.authenticated = proof;
      return;
    case 'preconditions':
      proofs.preconditions = proof;
      return;
    case 'approval':
      proofs.approval = proof;
      return;
    case 'budget':
      proofs.budget = proof;
      return;
    default:
      unknownProof(key);
  }
};

const take = (proofs: Proofs, key: Key): unknown => {
  switch (key) {
    case 'ready':
      return proofs.ready;
    case 'input':
      return proofs.input;
    case 'inspected':
      return proofs.inspected;
    case 'grant':
      return proofs.grant;
    case 'fresh':
      return proofs.fresh;
    case 'admitted':
      return proofs.admitted;
    case 'authenticated':
      return proofs.authenticated;
    case 'preconditions':
      return proofs.preconditions;
    case 'approval':
      return proofs.approval;
    case 'budget':
      return proofs.budget;
    default:
      return unknownProof(key);
  }
};

const unknownProof = (key: never): never => {
  throw new TypeError(`There is no proof called ${String(key)}.`);
};

/**
 * Puts a gate's proof on the call. The call object is extended rather than copied: the type says
 * which proofs are there, so no stage can read one that is not.
 */
export const prove = <C extends CallRequest, K extends Key>(
  call: C,
  key: K,
  proof: Evidence[K],
): C & Pick<Evidence, K> => {
  put(call as unknown as Proofs, key, proof);
  return call as C & Pick<Evidence, K>;
};

/** Evidence that may or may not be there yet, for the outermost stage and for messages. */
export const evidence = <K extends Key>(call: CallRequest, key: K): Evidence[K] | undefined =>
  take(call as unknown as Proofs, key) as Evidence[K] | undefined;
