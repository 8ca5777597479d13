/**
 * Chooses the fields that a call asks for when its caller does not: level by level, so that the limit on
 * fields cuts off what lies deepest. A type does not appear below itself, fields that need arguments are
 * left out, and lists in pages (connections) are asked for their first page.
 */
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import {
  type FieldEntry,
  fieldsOf,
  isComposite,
  isNeeded,
  isRequired,
  itemType,
  namedType,
  nullable,
  type Types,
} from '../schema/definition.ts';
import { isEmpty, type SelectedField, type SelectionSet } from './selection.ts';

export interface SelectionLimits {
  readonly maxDepth: number;
  readonly maxFields: number;
}

/** Entries of a list in pages below the one that was asked for. */
const PAGE_SIZE = 10;
/** Possible types whose own fields are asked for. */
const MAX_FRAGMENTS = 12;
const PAGE_FIELDS = ['hasNextPage', 'endCursor'];
/** Asked for first where the limit leaves fields out. */
const PREFERRED = [
  'id',
  'name',
  'title',
  'number',
  'url',
  'state',
  'status',
  'description',
  'body',
];

interface Job {
  readonly set: SelectionSet;
  readonly depth: number;
  readonly above: readonly string[];
  /** The keys from the root to here. */
  readonly path: string;
  readonly inPage: boolean;
  /** Fields of the interface around: they are asked for once, not again for each of its types. */
  readonly skipped?: ReadonlySet<string>;
  /** Its part of the fields, where several types share what is left. */
  readonly share?: number;
}

const byName = (fields: readonly FieldEntry[], name: string): FieldEntry | undefined =>
  fields.find((field) => field.name === name);

/**
 * Tells whether a type is a list in pages, as Relay describes it: `pageInfo`, and `nodes` or `edges` with
 * `node`.
 */
const isConnection = (types: Types, name: string): boolean => {
  const fields = fieldsOf(types, name);
  const pageInfo = byName(fields, 'pageInfo');
  if (!pageInfo || !byName(fieldsOf(types, namedType(pageInfo.type)), 'hasNextPage')) return false;
  if (itemType(byName(fields, 'nodes')?.type ?? '') !== undefined) return true;
  const edges = byName(fields, 'edges');
  return (
    itemType(edges?.type ?? '') !== undefined &&
    byName(fieldsOf(types, namedType(edges?.type ?? '')), 'node') !== undefined
  );
};

const rankOf = ({ name }: FieldEntry): number => {
  const rank = PREFERRED.indexOf(name);
  return rank < 0 ? PREFERRED.length : rank;
};

const isUsable = ({ name, deprecated, args = [] }: FieldEntry): boolean =>
  deprecated !== true && !isPrototypeKey(name) && !name.startsWith('__') && !args.some(isNeeded);

class Selector {
  readonly #types: Types;
  readonly #maxDepth: number;
  readonly #queue: Job[] = [];
  /** The shape of the value at each path: one document may not ask for two shapes there. */
  readonly #shapes = new Map<string, string>();
  #left: number;

  constructor(types: Types, { maxDepth, maxFields }: SelectionLimits) {
    this.#types = types;
    this.#maxDepth = maxDepth;
    this.#left = maxFields;
  }

  select(type: string): SelectionSet {
    const set = this.#newSet(type);
    this.#queue.push({ set, depth: 1, above: [type], path: '', inPage: false });
    // The queue grows while it is worked off.
    for (const job of this.#queue) this.#fill(job);
    return pruned(set);
  }

  #newSet(type: string): SelectionSet {
    const kind = this.#types.get(type)?.kind;
    const isAbstract = kind === 'interface' || kind === 'union';
    return { type, isAbstract, fields: [], fragments: [] };
  }

  #fill(job: Job): void {
    if (isConnection(this.#types, job.set.type)) this.#fillPage(job);
    else this.#fillPlain(job);
  }

  #fillPlain(job: Job): void {
    const { skipped } = job;
    const fields = fieldsOf(this.#types, job.set.type).filter(
      (field) => isUsable(field) && skipped?.has(field.name) !== true,
    );
    const isLeaf = ({ type }: FieldEntry): boolean => !isComposite(this.#types, namedType(type));
    const leaves = fields.filter(isLeaf).sort((one, other) => rankOf(one) - rankOf(other));
    for (const field of leaves.slice(0, job.share)) this.#add(job, field);
    this.#fillFragments(job);
    if (job.share !== undefined) return;
    for (const field of fields) if (!isLeaf(field)) this.#addObject(job, field);
  }

  #fillFragments(job: Job): void {
    const entry = this.#types.get(job.set.type);
    if (entry?.kind !== 'interface' && entry?.kind !== 'union') return;
    const skipped = new Set(fieldsOf(this.#types, job.set.type).map(({ name }) => name));
    const possible = (entry.possible ?? []).filter((name) => !job.above.includes(name));
    const shown = possible.slice(0, MAX_FRAGMENTS);
    const share = Math.max(1, Math.floor(this.#left / shown.length));
    for (const name of shown) {
      const set = this.#newSet(name);
      job.set.fragments.push(set);
      this.#queue.push({ ...job, set, skipped, share, above: [...job.above, name] });
    }
  }

  #fillPage(job: Job): void {
    const fields = fieldsOf(this.#types, job.set.type).filter(isUsable);
    const pageInfo = byName(fields, 'pageInfo');
    if (pageInfo) {
      const set = this.#add(job, pageInfo);
      const pageFields = fieldsOf(this.#types, namedType(pageInfo.type)).filter(isUsable);
      const path = `${job.path}.pageInfo`;
      for (const field of pageFields) {
        if (set && PAGE_FIELDS.includes(field.name)) this.#add({ ...job, set, path }, field);
      }
    }
    const total = byName(fields, 'totalCount');
    if (total && !isComposite(this.#types, namedType(total.type))) this.#add(job, total);
    const nodes = byName(fields, 'nodes');
    const page = { ...job, inPage: true };
    if (nodes && this.#addEntries(page, nodes)) return;
    const edges = byName(fields, 'edges');
    const set = edges && this.#add(job, edges);
    const node = byName(fieldsOf(this.#types, namedType(edges?.type ?? '')), 'node');
    if (set && node) this.#addEntries({ ...page, set, path: `${job.path}.edges` }, node);
  }

  /** Adds the entries of a page. The page itself is no level. */
  #addEntries(job: Job, field: FieldEntry): boolean {
    const name = namedType(field.type);
    if (job.above.includes(name)) return true;
    const set = this.#add(job, field);
    if (set) {
      const { skipped: _, share: __, ...rest } = job;
      const path = `${job.path}.${field.name}`;
      this.#queue.push({ ...rest, set, path, above: [...job.above, name] });
    }
    return set !== undefined || !isComposite(this.#types, name);
  }

  #addObject(job: Job, field: FieldEntry): void {
    const name = namedType(field.type);
    if (job.depth >= this.#maxDepth || job.above.includes(name)) return;
    // Pages inside pages multiply.
    if (job.inPage && isConnection(this.#types, name)) return;
    const set = this.#add(job, field);
    if (!set) return;
    const path = `${job.path}.${job.set.fields.at(-1)?.key}`;
    const above = [...job.above, name];
    const { skipped: _, share: __, ...rest } = job;
    this.#queue.push({ ...rest, set, depth: job.depth + 1, above, path });
  }

  /** Adds one field; gives the set of its fields where its values have fields. */
  #add(job: Job, { name, type, args = [] }: FieldEntry): SelectionSet | undefined {
    if (this.#left <= 0) return undefined;
    const key = this.#keyFor(job, name, type);
    if (key === undefined) return undefined;
    this.#left -= 1;
    const named = namedType(type);
    const set = isComposite(this.#types, named) ? this.#newSet(named) : undefined;
    const first = args.find((each) => each.name === 'first');
    const isPaged = first && nullable(first.type) === 'Int' && isConnection(this.#types, named);
    const written = isPaged ? `(first: ${PAGE_SIZE})` : '';
    job.set.fields.push({ name, key, args: written, type, ...(set && { set }) });
    return set;
  }

  /** Chooses the key of a field. A field whose name another type uses with another type is renamed. */
  #keyFor({ set, path }: Job, name: string, type: string): string | undefined {
    const shape = this.#shapeOf(type);
    for (const key of [name, `${name}_${set.type}`]) {
      const at = `${path}.${key}`;
      const there = this.#shapes.get(at);
      if (there === undefined) this.#shapes.set(at, shape);
      if (there === undefined || there === shape) return key;
    }
    return undefined;
  }

  #shapeOf(type: string): string {
    const name = namedType(type);
    if (!isComposite(this.#types, name)) return type;
    const item = itemType(type);
    const inner = item === undefined ? '{}' : `[${this.#shapeOf(item)}]`;
    return isRequired(type) ? `${inner}!` : inner;
  }
}

/** Takes out objects of which no field was chosen. */
const pruned = (set: SelectionSet): SelectionSet => ({
  ...set,
  fields: set.fields.flatMap((field): readonly SelectedField[] => {
    if (!field.set) return [field];
    const below = pruned(field.set);
    return isEmpty(below) ? [] : [{ ...field, set: below }];
  }),
  fragments: set.fragments.map(pruned).filter((each) => !isEmpty(each)),
});

/** Chooses fields of a type; `undefined` for one whose values have none. */
export const selectFields = (
  type: string,
  types: Types,
  limits: SelectionLimits,
): SelectionSet | undefined =>
  isComposite(types, namedType(type))
    ? new Selector(types, limits).select(namedType(type))
    : undefined;
