/**
 * Admits tools by the memory, disk and processor time that they declare, against what the machine has.
 * A tool that needs more than there is runs alone rather than never.
 */
import type { Tool } from '../../../contract/tool.ts';
import type { ResourceRequirements } from '../../../contract/tool-limits.ts';

/** Bytes, and shares of one core: 1.5 is a core and a half. */
export interface Resources {
  readonly memory: number;
  readonly disk: number;
  readonly cpu: number;
}

const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

const SIZE = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i;

/** Reads a size such as `50MB`. Nothing for a text that is none. */
export const bytesOf = (text: string): number | undefined => {
  const [, number, unit = ''] = SIZE.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
};

/** Reads a share of cores such as `50%`. Nothing for a text that is none. */
export const coresOf = (text: string): number | undefined => {
  const [, number] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) / 100;
};

/** What a tool declares, in numbers. What it does not declare counts as nothing. */
export const requirementsOf = ({ memory, disk, cpu }: ResourceRequirements): Resources => ({
  memory: memory === undefined ? 0 : (bytesOf(memory) ?? 0),
  disk: disk === undefined ? 0 : (bytesOf(disk) ?? 0),
  cpu: cpu === undefined ? 0 : (coresOf(cpu) ?? 0),
});

const NAMES = ['memory', 'disk', 'cpu'] as const;

/** Limits beyond those of the machine; the smaller one counts. */
export const narrowResources = (one: Resources, other: Partial<Resources>): Resources => ({
  memory: Math.min(one.memory, other.memory ?? Number.POSITIVE_INFINITY),
  disk: Math.min(one.disk, other.disk ?? Number.POSITIVE_INFINITY),
  cpu: Math.min(one.cpu, other.cpu ?? Number.POSITIVE_INFINITY),
});

/**
 * What a call of a tool waits for. Nothing for one that calls tools: its calls wait by themselves, and
 * could wait for what it holds.
 */
export const gatedNeeds = (
  tool: Pick<Tool, 'resourceRequirements' | 'callsTools'> | undefined,
): ResourceRequirements | undefined => (tool?.callsTools ? undefined : tool?.resourceRequirements);

interface Waiting {
  readonly needs: Resources;
  admit(): void;
}

export class ResourceGate {
  readonly #capacity: Resources;
  readonly #outer: ResourceGate | undefined;
  readonly #waiting: Waiting[] = [];
  #used: Resources = { memory: 0, disk: 0, cpu: 0 };
  #running = 0;

  /** With an outer gate, both have to admit a task. */
  constructor(capacity: Resources, outer?: ResourceGate) {
    this.#capacity = capacity;
    this.#outer = outer;
  }

  /** What the tasks that run at this moment declare to use together. */
  get used(): Resources {
    return this.#used;
  }

  /** How many tasks run, and how many wait for room. */
  get tasks(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting.length };
  }

  /**
   * Runs a task when what it needs is free. First come, first served, so that none waits for ever. One
   * that is cancelled meanwhile is run without a place: it ends by its signal and says so.
   */
  async run<T>(
    requirements: ResourceRequirements,
    task: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const needs = requirementsOf(requirements);
    if (!(await this.#enter(needs, signal))) return task();
    try {
      return await (this.#outer ? this.#outer.run(requirements, task, signal) : task());
    } finally {
      this.#take(needs, -1);
      this.#admitNext();
    }
  }

  /** Takes a place, or waits for one. False once the signal has fired. */
  #enter(needs: Resources, signal: AbortSignal | undefined): Promise<boolean> | boolean {
    if (signal?.aborted) return false;
    if (this.#waiting.length === 0 && this.#fits(needs)) {
      this.#take(needs, 1);
      return true;
    }
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        resolve(false);
        this.#admitNext();
      };
      const admit = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const waiting: Waiting = { needs, admit };
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Admits those who have waited longest, as far as there is room. */
  #admitNext(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || !this.#fits(next.needs)) return;
      this.#waiting.shift();
      this.#take(next.needs, 1);
      next.admit();
    }
  }

  #fits(needs: Resources): boolean {
    if (this.#running === 0) return true;
    return NAMES.every((name) => this.#used[name] + needs[name] <= this.#capacity[name]);
  }

  #take(needs: Resources, sign: 1 | -1): void {
    this.#running += sign;
    const used = this.#used;
    this.#used = {
      memory: used.memory + sign * needs.memory,
      disk: used.disk + sign * needs.disk,
      cpu: used.cpu + sign * needs.cpu,
    };
  }
}
