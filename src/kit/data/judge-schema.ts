/**
 * Lists, when a tool is loaded, the parts of its schema that cannot be checked here. The tool still works:
 * its server checks its calls.
 */
import { isObject } from './is-record.ts';

const KNOWN_DIALECT =
  /^https?:\/\/json-schema\.org\/(?:draft\/20(?:20-12|19-09)|draft-0[467])\/schema#?$/;
/** Look-around and back-references, which no engine runs in linear time. */
const UNSAFE_PATTERN = /\(\?<?[=!]|\\[1-9]|\\k</;

type Fields = Readonly<Record<string, unknown>>;

/** Lists all objects of a schema, in no particular order. */
const nodesOf = (schema: unknown): readonly Fields[] => {
  const nodes = isObject(schema) ? [schema] : [];
  for (const node of nodes) {
    for (const value of Object.values(node)) if (isObject(value)) nodes.push(value);
  }
  return nodes;
};

const hasNoTarget = (root: Fields, reference: string): boolean => {
  if (!reference.startsWith('#/')) return false;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isObject(at) || !Object.hasOwn(at, key)) return true;
    at = at[key];
  }
  return false;
};

const isDangling = (root: Fields, reference: unknown): boolean => {
  try {
    return typeof reference === 'string' && hasNoTarget(root, reference);
  } catch {
    return true;
  }
};

const hasUnsafePattern = ({ pattern, patternProperties }: Fields): boolean =>
  [pattern, ...(isObject(patternProperties) ? Object.keys(patternProperties) : [])].some(
    (source) => typeof source === 'string' && UNSAFE_PATTERN.test(source),
  );

/** Lists what cannot be checked. `side` names the schema in the notes. */
export const judgeSchema = (schema: Fields, side: 'input' | 'output'): readonly string[] => {
  const nodes = nodesOf(schema);
  const { $schema: dialect } = schema;
  const isUnknown = typeof dialect === 'string' && !KNOWN_DIALECT.test(dialect);
  return [
    ...(isUnknown ? [`its ${side} schema is of a draft that is not checked here`] : []),
    ...(nodes.some(({ $ref }) => isDangling(schema, $ref))
      ? [`its ${side} schema has a reference that leads nowhere and is not checked here`]
      : []),
    ...(nodes.some(hasUnsafePattern)
      ? [`a pattern of its ${side} schema cannot be run safely and is not checked here`]
      : []),
  ];
};
