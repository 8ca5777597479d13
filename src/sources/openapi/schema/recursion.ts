/**
 * Tells which schemas contain themselves, also further down. Whether one is put in the place of a reference
 * must depend on the document alone: not on what happens to be converted at that moment, which the order
 * decides in which tools are used, or the lock would see changes where there are none.
 */
import { isObject } from '../../../kit/data/is-record.ts';
import type { Located, Resolver } from '../operations/resolver.ts';

/** What reaches more schemas counts as one that contains itself. */
const MAX_REACHED = 100;

export class Recursion {
  readonly #resolver: Resolver;
  readonly #targets = new Map<unknown, readonly Located[]>();
  readonly #answers = new Map<unknown, boolean>();

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  has(schema: Located): boolean {
    const start = this.#resolver.fields(schema);
    if (!start) return false;
    const answer = this.#answers.get(start.value) ?? this.#comesBack(start);
    this.#answers.set(start.value, answer);
    return answer;
  }

  #comesBack(start: Located): boolean {
    const reached = new Set<unknown>();
    const open = [start];
    for (let next = open.pop(); next; next = open.pop()) {
      for (const target of this.#targetsOf(next)) {
        if (target.value === start.value) return true;
        if (reached.has(target.value)) continue;
        reached.add(target.value);
        if (reached.size > MAX_REACHED) return true;
        open.push(target);
      }
    }
    return false;
  }

  /** Lists what the references in a schema lead to. */
  #targetsOf({ value, address }: Located): readonly Located[] {
    const before = this.#targets.get(value);
    if (before) return before;
    // Once each: a schema may refer to another one any number of times.
    const targets = new Map<unknown, Located>();
    const open: unknown[] = [value];
    while (open.length > 0) {
      const node = open.pop();
      if (!isObject(node)) continue;
      const target =
        typeof node.$ref === 'string'
          ? this.#resolver.fields({ value: node, address, pointer: '' })
          : undefined;
      if (target) targets.set(target.value, target);
      for (const inner of Object.values(node)) open.push(inner);
    }
    const listed = [...targets.values()];
    this.#targets.set(value, listed);
    return listed;
  }
}
