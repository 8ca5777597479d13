import { describeQueue } from '../../../test/conformance/queue.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createMemoryQueue } from './create-memory-queue.ts';

describeQueue(
  'memory',
  async () => ({ queue: createMemoryQueue(createRuntime()), cleanup: async () => undefined }),
  { isShared: false },
);
