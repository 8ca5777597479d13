/** Finds schemas of APIs that cannot be checked here: the person who accepts a tool should know. */
import type { LockFinding } from '../../../contract/lock.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { judgeSchema } from '../../../kit/data/judge-schema.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { inspectSchema } from '../../schema/inspect-schema.ts';

type Side = 'input' | 'output';

const faultsOf = (schema: Readonly<Record<string, unknown>>, side: Side): readonly string[] => {
  try {
    inspectSchema(schema);
    return judgeSchema(schema, side);
  } catch (error) {
    return [`its ${side} schema is not checked here: ${reasonOf(error)}`];
  }
};

/**
 * Finds such parts. MCP tools say so in their documentation; all others are not loaded with such a
 * schema.
 */
export const findUnchecked = (definition: unknown): readonly LockFinding[] => {
  if (!isRecord(definition) || definition.source !== 'external') return [];
  return (['input', 'output'] as const).flatMap((side) => {
    const schema = definition[side];
    const faults = isRecord(schema) ? faultsOf(schema, side) : [];
    return faults.map((message) => ({ kind: 'suspicious', path: side, message }) as const);
  });
};
