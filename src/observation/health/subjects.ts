/** The ids of what can be checked: `store`, `queue`, `model`, or a kind and a name. */
import { HEALTH_KINDS, type HealthKind } from '../../contract/health.ts';

export interface Subject {
  readonly kind: HealthKind;
  readonly name: string;
}

/** Kinds with one subject, whose id is the kind. */
const SINGLE: ReadonlySet<string> = new Set(['store', 'queue', 'model'] satisfies HealthKind[]);

const isKind = (text: string): text is HealthKind => Object.hasOwn(HEALTH_KINDS, text);

export const subjectId = ({ kind, name }: Subject): string =>
  SINGLE.has(kind) ? kind : `${kind}:${name}`;

/** Parses the id of a subject. A name without a kind is that of a tool. */
export const parseSubject = (id: string): Subject => {
  if (SINGLE.has(id) && isKind(id)) return { kind: id, name: id };
  const at = id.indexOf(':');
  const kind = id.slice(0, Math.max(at, 0));
  return isKind(kind) && !SINGLE.has(kind)
    ? { kind, name: id.slice(at + 1) }
    : { kind: 'tool', name: id };
};
