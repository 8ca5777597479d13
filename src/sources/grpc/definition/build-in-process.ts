/**
 * Makes the definition of a server, in a process of its own where it has many types: the author may mean it to
 * take long.
 */
import { type DataWork, runDataWork } from '../../../kit/work/data-work.ts';
import type { FileDescriptor } from './descriptors.ts';
import type { BuiltDefinition, DescribedFiles } from './grpc-types-work.ts';

/** Takes a few milliseconds. */
const MAX_INLINE_TYPES = 200;
const MAX_MS = 60_000;
const MEMORY_MB = 1024;

const typesIn = ({ messageType, enumType, service }: FileDescriptor): number =>
  messageType.length + enumType.length + service.length;

const BUILDING: DataWork<DescribedFiles, BuiltDefinition> = {
  what: 'definition',
  file: 'grpc-types-work',
  from: import.meta.url,
  load: () => import('./grpc-types-work.ts'),
  isSmall: ({ files }) => files.reduce((sum, file) => sum + typesIn(file), 0) <= MAX_INLINE_TYPES,
  maxMs: MAX_MS,
  memoryMb: MEMORY_MB,
  code: 'CONFIG_INVALID',
};

/** Fails with OUTPUT_TOO_LARGE for definitions that nobody could look at. */
export const buildInProcess = (
  input: DescribedFiles,
  signal: AbortSignal,
): Promise<BuiltDefinition> => runDataWork(BUILDING, input, signal);
