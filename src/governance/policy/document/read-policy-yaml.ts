/**
 * YAML text to plain data, with the place of everything in it. Bounded in size and depth; aliases,
 * tags and keys that occur twice are refused, because two readers may understand them differently.
 */
import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  type ParsedNode,
  Parser,
  type Scalar,
  type YAMLError,
} from 'yaml';
import type { PolicyPath } from './policy-source.ts';
import { offsetInScalar } from './scalar-offset.ts';

const MOST_CHARACTERS = 512 * 1024;
const DEEPEST = 32;
const MOST_NODES = 50_000;

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface YamlProblem extends Place {
  readonly message: string;
}

export interface YamlReading {
  /** `undefined` when there are problems. */
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** Where the thing at a path begins, or the nearest around it; `offset` counts inside its text. */
  placeOf(path: PolicyPath, offset?: number): Place;
}

type Placed = { readonly start: number; readonly node: unknown };

const keyOf = (path: PolicyPath): string => path.join('\0');

/** Does not recurse, unlike the composer, which deep nesting takes down. */
const excessIn = (
  tokens: readonly CST.Token[],
): { offset: number; message: string } | undefined => {
  const stack: { token: CST.Token; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  let seen = 0;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { token, depth } = next;
    seen += 1;
    const { offset } = token as CST.SourceToken;
    if (depth > DEEPEST) return { offset, message: `nested deeper than ${DEEPEST} levels` };
    if (seen > MOST_NODES) return { offset, message: `more than ${MOST_NODES} values` };
    const items = 'items' in token ? token.items.flatMap(({ key, value }) => [key, value]) : [];
    const below = token.type === 'document' ? [token.value] : items;
    for (const child of below) if (child) stack.push({ token: child, depth: depth + 1 });
  }
  return undefined;
};

const wordsFor = ({ code, message }: YAMLError): string =>
  code === 'TAG_RESOLVE_FAILED' ? 'tags are not allowed' : message.replace(/ at line \d.*$/s, '');

class Reader {
  readonly problems: YamlProblem[] = [];
  readonly #places = new Map<string, Placed>();
  readonly #text: string;
  readonly #lines: LineCounter;

  constructor(text: string, lines: LineCounter) {
    this.#text = text;
    this.#lines = lines;
  }

  complain(offset: number, message: string): void {
    this.problems.push({ ...this.#at(offset), message });
  }

  read(node: unknown, path: PolicyPath): unknown {
    if (!isNode(node)) return null;
    if (isAlias(node)) return this.complain(this.#start(node), 'aliases are not allowed');
    if (node.tag !== undefined) return this.complain(this.#start(node), 'tags are not allowed');
    if (isSeq(node)) return node.items.map((item, index) => this.#item(item, [...path, index]));
    return isMap(node) ? this.#map(node.items, path) : (node as Scalar).value;
  }

  placeOf(path: PolicyPath, offset?: number): Place {
    const place = this.#places.get(keyOf(path));
    if (!place) return path.length === 0 ? this.#at(0) : this.placeOf(path.slice(0, -1));
    if (offset === undefined) return this.#at(place.start);
    return this.#at(offsetInScalar(this.#text, place.node as Scalar.Parsed, offset));
  }

  #item(node: unknown, path: PolicyPath): unknown {
    this.#places.set(keyOf(path), { start: this.#start(node), node });
    return this.read(node, path);
  }

  #map(pairs: readonly Pair[], path: PolicyPath): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (const { key: node, value } of pairs) {
      const start = this.#start(node);
      const key = isScalar(node) ? String(node.source) : undefined;
      if (key === undefined || key === '__proto__')
        this.complain(start, 'a key must be a plain name');
      else if (Object.hasOwn(found, key)) this.complain(start, `${key} is set twice`);
      else {
        this.#places.set(keyOf([...path, key]), { start, node: value });
        found[key] = this.read(value, [...path, key]);
      }
    }
    return found;
  }

  #start(node: unknown): number {
    return (node as ParsedNode).range[0];
  }

  #at(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}

/** Never throws for bad text: what is wrong comes back as problems. */
export const readPolicyYaml = (text: string): YamlReading => {
  const lines = new LineCounter();
  const reader = new Reader(text, lines);
  const placeOf = reader.placeOf.bind(reader);
  const refused = { value: undefined, problems: reader.problems, placeOf };
  if (text.length > MOST_CHARACTERS) {
    reader.complain(0, `longer than ${MOST_CHARACTERS} characters`);
    return refused;
  }
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const excess = excessIn(tokens);
  if (excess) {
    reader.complain(excess.offset, excess.message);
    return refused;
  }
  const options = {
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
  } as const;
  const documents = [...new Composer(options).compose(tokens, true, text.length)];
  for (const fault of documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])) {
    reader.complain(fault.pos[0], wordsFor(fault));
  }
  for (const { range } of documents.slice(1))
    reader.complain(range[0], 'a file holds one document');
  if (reader.problems.length > 0) return refused;
  const [value] = documents.map(({ contents }) => reader.read(contents, []));
  return reader.problems.length > 0 ? refused : { ...refused, value };
};
