/** Opens a queue in memory: its jobs end with the process. */
import type { Queue } from '../../contract/queue.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { EmbeddedQueue } from '../embedded-queue.ts';
import { MemoryJobs } from './memory-jobs.ts';

export const createMemoryQueue = (runtime: Runtime): Queue =>
  new EmbeddedQueue({ table: new MemoryJobs(runtime), runtime });
