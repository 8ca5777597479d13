/**
 * Takes secrets out of whatever leaves the crib: known values, well-known shapes, and values under the
 * names of secrets. There is one view for all: results, errors, logs, events and the audit trail.
 */
import { MIN_SECRET_LENGTH } from './known/encoded-forms.ts';
import { type RedactionStream, redactionStream } from './redaction-stream.ts';
import { SecretFinder } from './secret-finder.ts';
import {
  type FieldName,
  isDescription,
  type NameKind,
  NO_NAME,
  type SecretNamesOptions,
  secretNames,
} from './secret-names.ts';
import { itemName, MAX_ITEM_NAME, type NamedFields, namedFields } from './secret-pairs.ts';
import { isSecretNumber, isSecretText } from './secret-values.ts';
import { mergeSpans, replaceSpans, type Span } from './span.ts';
import { mayHoldArguments, SplitSecrets } from './split-secrets.ts';

export const REDACTED = '[REDACTED]';

/** No real record is this deep. */
const MAX_DEPTH = 64;
/** Names come from callers: what is remembered of them must not grow with them. */
const MAX_CLEAN_KEYS = 1000;

export class Redactor {
  readonly #names: SecretNamesOptions;
  readonly #kindOf: (name: string) => NameKind;
  readonly #finder: SecretFinder;
  readonly #split: SplitSecrets;
  readonly #cleanKeys = new Set<string>();
  /** A secret of digits may come back as a number. */
  #knowsNumbers = false;

  constructor(names: SecretNamesOptions = {}) {
    this.#names = names;
    this.#kindOf = secretNames(names);
    this.#finder = new SecretFinder(this.#kindOf);
    this.#split = new SplitSecrets(this.#finder, REDACTED);
  }

  /** Makes a redactor with the same rules for names and no known values. */
  withoutValues(): Redactor {
    return new Redactor(this.#names);
  }

  /**
   * Remembers a value handed to a tool, and the encodings it may come back in. A value shorter than
   * six characters is not remembered: it would black out ordinary text.
   */
  learn(secret: string): void {
    if (this.#finder.known.learn(secret)) this.#cleanKeys.clear();
    this.#knowsNumbers ||= /^[0-9.e+-]+$/i.test(secret.trim());
  }

  /** Remembers the values of those fields that are named as secrets are. */
  learnFields(fields: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(fields)) {
      if (this.textUnder({ name, kind: this.#kindOf(name) }, value) === REDACTED) this.learn(value);
    }
  }

  text(value: string): string {
    if (value.length < MIN_SECRET_LENGTH) return value;
    const spans = this.#finder.find(value);
    return spans.length === 0 ? value : replaceSpans(value, spans, REDACTED);
  }

  /** Redacts the name of a field. Names repeat, so those found clean are remembered. */
  key(name: string): string {
    if (name.length < MIN_SECRET_LENGTH || this.#cleanKeys.has(name)) return name;
    const clean = this.text(name);
    if (clean === name && this.#cleanKeys.size < MAX_CLEAN_KEYS) this.#cleanKeys.add(name);
    return clean;
  }

  /** Redacts a number: returns it, unless its digits are a secret. */
  number(value: number): number | string {
    if (!this.#knowsNumbers) return value;
    const written = String(value);
    const clean = this.text(written);
    return clean === written ? value : clean;
  }

  /**
   * Makes a stream for text that comes in pieces: a secret that lies across two of them is found.
   */
  stream(): RedactionStream {
    return redactionStream(this.#finder, REDACTED);
  }

  /** Names a field below another: what is secret stays so, except for what describes it. */
  field(name: string, above: FieldName): FieldName {
    const kind = this.#kindOf(name);
    if (above.kind === 'plain' || kind !== 'plain')
      return kind === 'plain' ? NO_NAME : { name, kind };
    return isDescription(name) ? NO_NAME : above;
  }

  /** Redacts a text under a name. */
  textUnder({ name, kind }: FieldName, value: string): string {
    return kind !== 'plain' && isSecretText(kind, name, value) ? REDACTED : this.text(value);
  }

  /** Cleans a long text under a name in slices; the caller may let others work between them. */
  *slicesUnder({ name, kind }: FieldName, value: string): Generator<undefined, string> {
    if (kind !== 'plain' && isSecretText(kind, name, value)) return REDACTED;
    const spans: Span[] = [];
    for (const slice of this.#finder.slices(value)) {
      for (const span of slice) spans.push(span);
      yield;
    }
    return spans.length === 0 ? value : replaceSpans(value, mergeSpans(spans), REDACTED);
  }

  /** Redacts a number under a name. */
  numberUnder({ name, kind }: FieldName, value: number): number | string {
    return kind !== 'plain' && isSecretNumber(kind, name, value) ? REDACTED : this.number(value);
  }

  /** Names an item of a list: a flag or header may be the item before it. */
  item(before: unknown, above: FieldName): FieldName {
    if (above.kind !== 'plain' || typeof before !== 'string' || before.length > MAX_ITEM_NAME)
      return above;
    return itemName(before, this.#kindOf) ?? above;
  }

  /** Reads what an object says of its own fields, such as its `name` of its `value`. */
  namedFields(source: object): NamedFields | undefined {
    return namedFields(source, this.#kindOf);
  }

  /** To be asked before the parts of a list or object are cleaned, and handed to `whole` after that. */
  get keysFound(): number {
    return this.#finder.keysFound;
  }

  /** Takes out of a list or object, whose parts are clean, what is spread over several of them. */
  whole<T extends object>(source: T, clean: T, keysBefore: number): T {
    const { known: values, keysFound } = this.#finder;
    const isClean =
      keysFound === keysBefore &&
      (values.empty || !this.#split.mayHoldKnown(source)) &&
      !mayHoldArguments(source);
    if (isClean) return clean;
    return this.#split.clean(source, clean, keysBefore);
  }

  /**
   * Redacts a value for audit and logs. Always a copy: what is recorded must not change with what
   * it was taken from.
   */
  record(value: unknown, depth = 0, under = NO_NAME): unknown {
    switch (typeof value) {
      case 'string':
        return this.textUnder(under, value);
      case 'number':
        return this.numberUnder(under, value);
      case 'bigint':
        return this.textUnder(under, value.toString());
      case 'object':
        if (value === null) return null;
        return depth > MAX_DEPTH ? REDACTED : this.#object(value, depth + 1, under);
      default:
        return value;
    }
  }

  #object(value: object, depth: number, under: FieldName): unknown {
    if (Object.getPrototypeOf(value) === Object.prototype) return this.#fields(value, depth, under);
    if (Array.isArray(value)) return this.#items(value, depth, under);
    if (value instanceof Uint8Array) {
      return this.textUnder(under, Buffer.from(value).toString('base64'));
    }
    if (value instanceof Map) return this.#fields(Object.fromEntries(value), depth, under);
    if (value instanceof Set) return this.#items([...value], depth, under);
    if (value instanceof Error) return this.#error(value, depth);
    if (value instanceof Date || value instanceof URL) {
      return this.record(value.toJSON(), depth, under);
    }
    return this.#fields(value, depth, under);
  }

  #items(value: readonly unknown[], depth: number, under: FieldName): unknown[] {
    const keysBefore = this.keysFound;
    const clean = value.map((item, at) =>
      this.record(item, depth, this.item(value[at - 1], under)),
    );
    return this.whole<readonly unknown[]>(value, clean, keysBefore) as unknown[];
  }

  #error(error: Error, depth: number): unknown {
    const { name, message, cause } = error;
    const copy = { name, message: this.text(message), ...this.#fields(error, depth, NO_NAME) };
    return cause === undefined ? copy : { ...copy, cause: this.record(cause, depth) };
  }

  #fields(source: object, depth: number, under: FieldName): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    const named = this.namedFields(source);
    const keysBefore = this.keysFound;
    for (const key in source) {
      // `__proto__` would change the copy instead of landing in it.
      if (!Object.hasOwn(source, key) || key === '__proto__') continue;
      const item: unknown = source[key as keyof typeof source];
      const name = named?.fields.has(key) ? named.name : this.field(key, under);
      copy[this.key(key)] = this.record(item, depth, name);
    }
    return this.whole(source as Record<string, unknown>, copy, keysBefore);
  }
}
