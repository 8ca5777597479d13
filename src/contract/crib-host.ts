/** The crib as our own surfaces, server and command line see it: with its store. Not published. */
import type { Crib } from './crib.ts';
import type { EnqueueOptions } from './job.ts';
import type { Job, JobEnd, NewJob } from './queue.ts';
import type { Store } from './store.ts';
import type { TeamState } from './team.ts';

export interface CribHost extends Crib {
  /** Opens the store on first use: listing tools needs none. */
  store(): Promise<Store>;
  /** Returns what this crib has of the catalog of its team; nothing for a user who is in none. */
  team(): TeamState | undefined;
  /** Adds a job as `jobs.enqueue` does, and returns it, also where the queue does not show it yet. */
  addJob(type: string, payload: unknown, options?: EnqueueOptions): Promise<Job>;
  /** Runs a job that was posted to this process, as the caller under its seal. */
  deliverJob(job: NewJob, attempts: number): Promise<JobEnd>;
  /** Counts calls for `metrics` from now on; returns a function that stops it. */
  keepCounting(): () => Promise<void>;
  /** Evaluates the alerts from now on; returns a function that stops it. */
  raiseAlerts(): () => Promise<void>;
  /** Continues the runs of the project's flow files that are due, from now on. */
  continueFlows(): Promise<void>;
  /**
   * Starts the MCP servers whose tools were never listed and takes their tools in as they come. Ends
   * when all have answered or failed, or with the signal. With names, only those servers are started.
   * Never rejects.
   */
  discoverTools(signal: AbortSignal, servers?: readonly string[]): Promise<void>;
}
