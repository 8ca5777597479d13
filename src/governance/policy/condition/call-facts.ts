/**
 * The facts of a call that a condition can use, under their names. Each part is built when it is
 * first read.
 */
import type { Caller } from '../../../contract/caller.ts';
import type { FlowState, PolicyQuestion, Rights } from '../../../contract/policy.ts';
import type { Tool } from '../../../contract/tool.ts';
import { DAY_MS, HOUR_MS } from '../../../kit/data/durations.ts';
import { isDelicate, isSink } from '../capability.ts';

export class CallerFacts {
  readonly user: string;
  readonly agent: string;
  readonly session: string;
  readonly loop: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly isolation: string;

  constructor(caller: Caller, rights: Rights) {
    this.user = caller.userId;
    this.agent = caller.agentId;
    this.session = caller.sessionId;
    this.loop = caller.loopId;
    this.roles = caller.roles;
    this.permissions = rights.permissions;
    this.isolation = rights.isolation;
  }
}

export class ToolFacts {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  /** The source or server that it comes from, such as `openapi:work`; empty for other tools. */
  readonly server: string;
  readonly category: string;
  readonly tags: readonly string[];

  constructor({ name, version, source, server = '', category, tags = [] }: Tool) {
    this.name = name;
    this.version = version;
    this.source = source;
    this.server = server;
    this.category = category;
    this.tags = tags;
  }
}

/** The epoch began on a Thursday. */
const DAYS_SINCE_MONDAY = 3;

const modulo = (value: number, by: number): number => ((value % by) + by) % by;

/** The time of a call in UTC, so that a verdict does not depend on the machine. */
export class TimeFacts {
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  get hour(): bigint {
    return BigInt(Math.floor(modulo(this.#now, DAY_MS) / HOUR_MS));
  }

  /** Counts from Monday, 1, to Sunday, 7. */
  get weekday(): bigint {
    return BigInt(modulo(Math.floor(this.#now / DAY_MS) + DAYS_SINCE_MONDAY, 7) + 1);
  }

  get date(): string {
    return new Date(this.#now).toISOString().slice(0, 10);
  }
}

/** Treats an unknown label as the most sensitive one. */
export const hasPrivate = ({ sensitivity }: FlowState): boolean => sensitivity !== 'public';
export const hasSecret = ({ sensitivity }: FlowState): boolean =>
  sensitivity !== 'public' && sensitivity !== 'private';

export class FlowFacts {
  readonly untrusted: boolean;
  readonly sensitivity: string;
  readonly private: boolean;
  readonly secret: boolean;

  constructor(flow: FlowState) {
    this.untrusted = flow.untrusted;
    this.sensitivity = flow.sensitivity;
    this.private = hasPrivate(flow);
    this.secret = hasSecret(flow);
  }
}

export class CallFacts {
  readonly #question: PolicyQuestion;
  readonly #rights: Rights;
  #caller: CallerFacts | undefined;
  #tool: ToolFacts | undefined;
  #time: TimeFacts | undefined;
  #flow: FlowFacts | undefined;

  constructor(question: PolicyQuestion, rights: Rights) {
    this.#question = question;
    this.#rights = rights;
  }

  get caller(): CallerFacts {
    this.#caller ??= new CallerFacts(this.#question.caller, this.#rights);
    return this.#caller;
  }

  get tool(): ToolFacts {
    this.#tool ??= new ToolFacts(this.#question.tool);
    return this.#tool;
  }

  get tier(): string {
    return this.#question.tier;
  }

  get action(): string {
    return this.#question.capability?.action ?? '';
  }

  get destructive(): boolean {
    return isDelicate(this.#question.tool, this.#question.capability);
  }

  get input(): unknown {
    return this.#question.input;
  }

  get now(): Date {
    return new Date(this.#question.now);
  }

  get time(): TimeFacts {
    this.#time ??= new TimeFacts(this.#question.now);
    return this.#time;
  }

  get flow(): FlowFacts {
    this.#flow ??= new FlowFacts(this.#question.flow);
    return this.#flow;
  }

  get sink(): boolean {
    return isSink(this.#question.tool, this.#question.tier);
  }
}

export interface Condition {
  readonly text: string;
  /** True when it runs faster with facts that were built for another condition. */
  readonly usesFacts: boolean;
  /** Evaluates the condition. Throws when that fails. */
  holds(question: PolicyQuestion, facts?: CallFacts): boolean;
}
