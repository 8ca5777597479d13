/**
 * Parses the text of an OpenAPI document. What is not small is parsed in a process of its own: YAML of a
 * few megabytes can take a minute, and the author of a document may mean it to.
 */
import { type DataWork, runDataWork } from '../../../kit/work/data-work.ts';

const SMALL_BYTES = 64_000;
const MAX_MS = 60_000;
/** Parsing the largest known documents takes more than a gigabyte. */
const MEMORY_MB = 2048;

const PARSING: DataWork<Uint8Array, object> = {
  ...{ what: 'OpenAPI document', file: 'document-work', from: import.meta.url },
  load: () => import('./document-work.ts'),
  isSmall: ({ byteLength }) => byteLength <= SMALL_BYTES,
  ...{ maxMs: MAX_MS, memoryMb: MEMORY_MB, code: 'CONFIG_INVALID' },
};

/** Rejects with CONFIG_INVALID for text that is no document, and for one that takes too much. */
export const parseDocument = (bytes: Uint8Array, signal: AbortSignal): Promise<object> =>
  runDataWork(PARSING, bytes, signal);
