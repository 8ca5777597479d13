/** The contract of a tool: data plus one `run` function. */
import type { Caller } from './caller.ts';
import type { ToolContext } from './context.ts';
import type { Effect } from './effect.ts';
import type { ToolError } from './errors.ts';
import type { Needs } from './needs.ts';
import type { Precondition } from './precondition.ts';
import type { Labels, ToolResult } from './result.ts';
import type { RetryPolicy } from './retry.ts';
import type { SandboxConfig } from './sandbox.ts';
import type { JsonSchema, LazySchema } from './schema.ts';
import type { CostModel, MostCost } from './tool-cost.ts';
import type {
  Breaker,
  CacheRule,
  Concurrency,
  RateLimit,
  Recovery,
  ResourceRequirements,
} from './tool-limits.ts';

export const SOURCES = [
  'builtin',
  'team',
  'mcp',
  'package',
  'external',
  'workflow',
  'composed',
  'custom',
] as const;
/** Where a tool comes from; the order above is the order of loading. */
export type ToolSource = (typeof SOURCES)[number];

export const CATEGORIES = [
  'filesystem',
  'code_analysis',
  'validation',
  'search',
  'api',
  'database',
  'service',
  'deployment',
  'development',
  'custom',
] as const;
export type ToolCategory = (typeof CATEGORIES)[number];

export const TIERS = ['read_only', 'write', 'execute', 'external_api'] as const;
/** The risk of a call, from the least to the most dangerous. */
export type Tier = (typeof TIERS)[number];

export interface Capability {
  /** The verb policy rules and approvals speak of, e.g. `delete`. */
  readonly action: string;
  readonly description: string;
  readonly requiresConfirmation?: boolean;
  /** Destroys something that was there before. */
  readonly destructive?: boolean;
  /** The tier of this action where it differs from the tool's, e.g. `read` of a file tool. */
  readonly tier?: Tier;
  readonly estimatedCost?: number;
  readonly estimatedTime?: number;
}

export interface AuthRequirement {
  readonly type: 'api_key' | 'oauth' | 'basic_auth' | 'bearer_token' | 'custom';
  readonly required: boolean;
  /** The key under which the secrets port holds the credential, e.g. `STRIPE_SECRET_KEY`. */
  readonly configKey: string;
  readonly setupUrl?: string;
  /** Tries the credential for real. Run by health checks alone: it has to be read only and free of charge. */
  test?(secret: string): Promise<boolean>;
}

export interface Dependency {
  readonly tool: string;
  /** A semantic version range; any version when absent. */
  readonly range?: string;
}

export interface ToolExample {
  readonly title: string;
  readonly input: unknown;
  /** What the data of the result must contain; the test suite checks it. */
  readonly output?: unknown;
}

export interface Health {
  readonly healthy: boolean;
  readonly message?: string;
}

/** A rule of the tool's owner in addition to the schema. Returns the fault, or nothing. */
export interface Validator<I = unknown> {
  readonly name: string;
  /** Says what is wrong with the input, or nothing. A throw counts as wrong. */
  check(input: I, facts: ValidatorFacts): string | undefined | Promise<string | undefined>;
}

/** What a business rule may go by besides the input. */
export interface ValidatorFacts {
  readonly caller: Caller;
  readonly now: number;
}

/** What a call is going to touch, as its input names it. Approvals are bound to what it resolves to. */
export interface CallTargets {
  readonly paths?: readonly string[];
  readonly urls?: readonly string[];
}

/** A program that a call will run: with its arguments, and the folder relative to the workspace. */
export interface PlannedProgram {
  readonly argv: readonly string[];
  readonly cwd?: string;
}

/** `flag` notes script-like content, `strip` takes it out of the input, `off` does not look. */
export type Sanitizing = 'flag' | 'strip' | 'off';

/** What the results of a tool are, and whether a call can carry data out. */
export interface AssignedFlow extends Labels {
  readonly sink: boolean;
}

/** What a composed tool is made of. */
export interface Composition {
  readonly kind: 'sequence' | 'parallel' | 'conditional' | 'steps';
  /** The tools that it can call, in order, each once. */
  readonly parts: readonly string[];
  /** The most calls that one call of it makes, those of its parts included. */
  readonly maxCalls: number;
  /** The steps as they were defined, where they were defined as data. */
  readonly steps?: readonly unknown[];
  /** The schema of the value that it hands on to the part after it, where that is known. */
  readonly output?: JsonSchema;
}

/** The result of a call that is undone. */
export type PastResult<O = unknown> = ToolResult<O> & {
  /** What the call gave to `keepForUndo`. */
  readonly kept?: unknown;
};

/**
 * `I` is what a caller may pass, `O` what the data of a result is. `run` gets the input as the schema
 * made it: defaults are filled in.
 */
export interface Tool<I = unknown, O = unknown> {
  readonly name: string;
  readonly version: string;
  /** A name for people, as clients show it. */
  readonly title?: string;
  readonly description: string;
  readonly documentation?: string;
  readonly examples?: readonly ToolExample[];
  readonly tags?: readonly string[];
  readonly author?: string;
  readonly license?: string;
  /** `false`: switched off until the configuration or a person switches it on. */
  readonly enabled?: boolean;
  /** Other names under which the tool answers. */
  readonly aliases?: readonly string[];

  readonly source: ToolSource;
  readonly category: ToolCategory;
  readonly tier: Tier;
  readonly capabilities: readonly Capability[];
  /** The input field whose value names the capability in use, e.g. `operation`. */
  readonly actionField?: string;

  readonly input: LazySchema;
  readonly output?: LazySchema<O>;
  readonly validators?: readonly Validator<I>[];
  /** Only a tool that renders HTML should strip: content is never altered unasked. */
  readonly sanitize?: Sanitizing;
  /** Lists what a call touches, where the names of the input fields do not say it. */
  targets?(input: I): CallTargets;
  /**
   * Lists the programs that a call will run, each with its arguments, where the input says so.
   * Nobody is asked to approve a call of which one may not run.
   */
  programs?(input: I): readonly PlannedProgram[];
  /** Labels of its results, where the defaults by source and category do not fit. */
  readonly labels?: Partial<Labels>;
  /** True where a call can carry data out although neither its tier nor its hosts say so. */
  readonly sink?: true;
  /** It calls other tools, each judged by itself: its own tier says nothing of what will happen. */
  readonly callsTools?: true;
  /**
   * What a composed tool is made of: all that it does, it does by calling these. They hold what they
   * cost, so that its `estimate` has to be covered before it starts, and is not held.
   */
  readonly composition?: Composition;
  /** What the user says of a tool from outside. A source takes it from the configuration alone. */
  readonly assigned?: AssignedFlow;

  readonly auth?: AuthRequirement;
  readonly cost?: CostModel;
  /**
   * Estimates the most that a call with this input can cost, where the price is known only
   * afterwards. Without it a call is held to its price, and one whose price is unknown to
   * `budget.unknownUsd`.
   */
  estimate?(input: I): MostCost;
  readonly permissions?: readonly string[];
  readonly needs?: Needs;

  readonly preconditions?: readonly Precondition[];
  readonly effects?: readonly Effect[];
  /** Takes back what the call did, where a file snapshot is not enough. Throws when it cannot. */
  undo?(input: I, result: PastResult<O>, context: ToolContext): Promise<void>;

  /** The call may be repeated without harm: retries are allowed even after a possible effect. */
  readonly idempotent?: boolean;
  /** The whole time a call may take, in all attempts together. */
  readonly timeoutMs?: number;
  /** The time that may pass without `progress`. */
  readonly idleTimeoutMs?: number;
  readonly retry?: RetryPolicy;
  readonly rateLimit?: RateLimit;
  readonly cache?: CacheRule;
  readonly recovery?: Recovery;
  /** Shorthand for `recovery: { strategy: 'fallback', tool }`. */
  readonly fallback?: string;
  readonly breaker?: Breaker;
  /** Calls that share a server share its breaker and its bulkhead. */
  readonly server?: string;
  readonly sandbox?: SandboxConfig;
  /** `run` runs its work in that sandbox itself, as the tools of a custom source do. */
  readonly sandboxed?: boolean;
  /** The digest of the code, for tools whose code came from outside: the lock compares it. */
  readonly codeDigest?: string;
  readonly concurrency?: Concurrency;
  readonly resourceRequirements?: ResourceRequirements;
  readonly dependencies?: readonly Dependency[];

  /** Runs once, before the first call. A failure fails that call, and the next one tries again. */
  initialize?(): Promise<void>;
  /** Runs once, when the crib closes or the tool is unregistered. */
  cleanup?(): Promise<void>;
  /**
   * Says whether a call would work. It may be asked every minute, so it has to be cheap, read only and free
   * of charge; it gets no context, and one that throws or takes too long counts as unhealthy.
   */
  healthCheck?(): Promise<Health>;
  /** Turns what `run` threw into an error of the table; `undefined` leaves it to the pipeline. */
  handleError?(error: unknown): ToolError | undefined;

  /**
   * Does the work. What it returns is the data of the result; what it throws makes the call fail, a
   * `ToolFailure` with its own code.
   */
  run(input: I, context: ToolContext): O | Promise<O>;
}

/** What `defineTool` takes: a tool whose commonest fields have defaults. */
export type ToolDefinition<I, O> = Omit<
  Tool<I, O>,
  'version' | 'source' | 'category' | 'tier' | 'capabilities' | 'input'
> & {
  readonly version?: string;
  readonly source?: ToolSource;
  readonly category?: ToolCategory;
  readonly tier: Tier;
  readonly capabilities?: readonly Capability[];
  readonly input: LazySchema<I>;
};

/** A tool whose name is known to the compiler, so that calls by that name are typed. */
export type NamedTool<N extends string, T extends Tool> = T & { readonly name: N };
