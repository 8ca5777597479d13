/** Tells whether what is stored under a key only says that nobody knows what became of the call. */
import { isRecord } from '../kit/data/is-record.ts';

export const isDoubtful = (resultText: string, executionId: string): boolean => {
  const result: unknown = JSON.parse(resultText);
  return isRecord(result) && isRecord(result.error) && result.error.inDoubt === executionId;
};
