/** Loads BullMQ and its Redis client when a queue on Redis is opened, or says what to install. */
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';

const MISSING: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

export interface RedisLibraries {
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof import('ioredis').Redis;
}

/** Fails with DEPENDENCY_MISSING when one of the packages is not there. */
export const loadLibraries = async (): Promise<RedisLibraries> => {
  try {
    const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Redis };
  } catch (error) {
    if (!MISSING.has(errorCodeOf(error))) throw error;
    throw new ToolFailure(
      'DEPENDENCY_MISSING',
      'Queues on Redis need the packages bullmq and ioredis.',
      { suggestions: ['Install them: npm install bullmq ioredis'] },
    );
  }
};
