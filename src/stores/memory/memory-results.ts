/** Large results in memory, by handle and only for the user they were made for. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Results, StoredResult } from '../../contract/store.ts';
import { resultSlice } from '../result-slice.ts';

export const memoryResults = (): Results => {
  const results = new Map<string, StoredResult>();
  return {
    async put(result) {
      if (results.has(result.handle)) {
        throw new ToolFailure('CONFLICT', 'A result of this handle exists already.');
      }
      results.set(result.handle, result);
    },
    async read(handle, userId, range) {
      const result = results.get(handle);
      return result?.userId === userId ? resultSlice(result.text, range) : undefined;
    },
    async drop(executionId) {
      for (const { handle, executionId: of } of results.values()) {
        if (of === executionId) results.delete(handle);
      }
    },
    async expire(before) {
      const sizeBefore = results.size;
      for (const { handle, keptAt } of results.values()) {
        if (keptAt < before) results.delete(handle);
      }
      return sizeBefore - results.size;
    },
  };
};
