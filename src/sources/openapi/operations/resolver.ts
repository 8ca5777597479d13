/**
 * Follows references between and within the documents of a source. It looks names up as own
 * properties only and fetches nothing: what was not read is not there.
 */
import { isObject, isRecord } from '../../../kit/data/is-record.ts';
import { resolveAddress } from '../read/document-address.ts';
import type { Fields, OpenapiDefinition } from './definition.ts';

/** A part of a document, with the address of that document: references in it are relative to it. */
export interface Located {
  readonly value: unknown;
  readonly address: string;
  /** The pointer that led here, for names; empty where none did. */
  readonly pointer: string;
}

/** More references in a row are a circle. */
const MAX_HOPS = 30;

const unescapeStep = (step: string): string => {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  if (!plain.includes('%')) return plain;
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return plain;
  }
};

const member = (value: unknown, key: string): unknown =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;

export class Resolver {
  readonly root: Fields;
  readonly rootAddress: string;
  readonly #documents: Readonly<Record<string, unknown>>;
  readonly #targets = new Map<string, Located | undefined>();

  constructor({ root, documents }: OpenapiDefinition) {
    this.rootAddress = root;
    this.#documents = documents;
    this.root = documents[root] as Fields;
  }

  /** Follows `$ref` until there is none. Returns `undefined` for one that leads nowhere or in a circle. */
  resolve(located: Located): Located | undefined {
    let at: Located | undefined = located;
    for (let hops = 0; hops < MAX_HOPS; hops += 1) {
      const reference: unknown = isRecord(at?.value) ? at.value.$ref : undefined;
      if (at === undefined || typeof reference !== 'string') return at;
      at = this.target(reference, at.address);
    }
    return undefined;
  }

  /** Returns the fields of a part, after following its references. */
  fields(located: Located): (Located & { readonly value: Fields }) | undefined {
    const resolved = this.resolve(located);
    return resolved && isRecord(resolved.value)
      ? (resolved as Located & { readonly value: Fields })
      : undefined;
  }

  /** Finds what a reference in the document at `address` names. */
  target(reference: string, address: string): Located | undefined {
    const key = `${address}\0${reference}`;
    if (!this.#targets.has(key)) this.#targets.set(key, this.#find(reference, address));
    return this.#targets.get(key);
  }

  #find(reference: string, address: string): Located | undefined {
    const hash = reference.indexOf('#');
    const file = hash < 0 ? reference : reference.slice(0, hash);
    const pointer = hash < 0 ? '' : reference.slice(hash + 1);
    const target = file === '' ? address : resolveAddress(file, address);
    if (target === undefined || !Object.hasOwn(this.#documents, target)) return undefined;
    if (pointer !== '' && !pointer.startsWith('/')) return this.#anchor(target, pointer);
    let value: unknown = this.#documents[target];
    if (pointer !== '') {
      for (const step of pointer.slice(1).split('/')) value = member(value, unescapeStep(step));
    }
    return value === undefined ? undefined : { value, address: target, pointer };
  }

  /** Finds a schema by its `$anchor` among the components. */
  #anchor(address: string, name: string): Located | undefined {
    const schemas = member(member(this.#documents[address], 'components'), 'schemas');
    if (!isRecord(schemas)) return undefined;
    const entry = Object.entries(schemas).find(
      ([, schema]) => isRecord(schema) && schema.$anchor === name,
    );
    return entry && { value: entry[1], address, pointer: `/components/schemas/${entry[0]}` };
  }
}
