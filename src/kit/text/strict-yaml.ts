/**
 * Reads YAML that somebody else may have written: one document of plain data, with the place of every
 * key and value. Bounded in depth and size. Keys that occur twice, tags and names of the machinery of
 * objects are refused, because two readers may understand them differently.
 */
import type { CST, Document, LineCounter, Node, Pair, Scalar, YAMLError } from 'yaml';
import { isRecord } from '../data/is-record.ts';
import { isPrototypeKey } from '../data/prototype-key.ts';

/** Handed in, because some callers load it only when there is a file to read. */
export type YamlLibrary = typeof import('yaml');

export type YamlPath = readonly (string | number)[];

export interface YamlRules {
  readonly maxDepth: number;
  readonly maxNodes: number;
  /** Refused with their anchors, or followed as far as the limits go. */
  readonly aliases: 'refuse' | 'follow';
  /** Whether `<<` takes the members of other maps in, as in YAML 1.1; refused otherwise. */
  readonly mergeKeys?: boolean;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export interface YamlFault extends Position {
  readonly path: YamlPath;
  /** Quotes no value of the text: that may be a secret. */
  readonly message: string;
}

/** The position of a member of a map or a list. */
export interface YamlLocation {
  readonly key?: Position | undefined;
  readonly value?: Position | undefined;
  readonly node: unknown;
}

/** More than this from one text is noise. */
const MAX_FAULTS = 20;

const tooDeep = (max: number): string => `nested deeper than ${max} levels`;

interface Excess {
  readonly offset: number;
  readonly message: string;
}

/**
 * Finds the first token that is nested too deep or one too many. Does not recurse, unlike the
 * composer of the library, which deep nesting takes down with the whole process.
 */
export const firstExcess = (
  tokens: readonly CST.Token[],
  { maxDepth, maxNodes }: Pick<YamlRules, 'maxDepth' | 'maxNodes'>,
): Excess | undefined => {
  const stack: [token: CST.Token, depth: number][] = tokens.map((token) => [token, 0]);
  for (let seen = 0; stack.length > 0; seen += 1) {
    const [token, depth] = stack.pop() as [CST.Token, number];
    const offset = 'offset' in token ? token.offset : 0;
    if (depth > maxDepth) return { offset, message: tooDeep(maxDepth) };
    if (seen > maxNodes) return { offset, message: `holds more than ${maxNodes} values` };
    if (token.type === 'document' && token.value) stack.push([token.value, depth + 1]);
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) stack.push([key, depth + 1]);
      if (value) stack.push([value, depth + 1]);
    }
  }
  return undefined;
};

/** What to do about faults whose own words help nobody who does not know the grammar of YAML. */
const HINTS: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BLOCK_AS_IMPLICIT_KEY: '; put a text that holds ": " in quotes, or check the indentation',
  BAD_INDENT: '; check the indentation',
  TAB_AS_INDENT: '; use spaces',
};

const inOurWords = ({ code, message }: YAMLError): string => {
  if (code === 'TAG_RESOLVE_FAILED') return 'tags are not allowed';
  const reason = message
    .replace(/ at line \d.*$/s, '')
    .replace(/: ".*$/s, '')
    .replace(
      /^Sequence item without.*/,
      'the line is no item of the list above; check its indentation',
    )
    .replace(/^./, (letter) => letter.toLowerCase());
  return `${reason}${HINTS[code] ?? ''}`;
};

export interface ComposedYaml {
  /** Absent when there are faults. */
  readonly document: Document | undefined;
  readonly lines: LineCounter;
  readonly faults: readonly YamlFault[];
}

export const positionAt = (lines: LineCounter, offset: number): Position => {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
};

/** Composes the document of a text. Never throws for bad text: what is wrong comes back as faults. */
export const composeYaml = (yaml: YamlLibrary, text: string, rules: YamlRules): ComposedYaml => {
  const lines = new yaml.LineCounter();
  const end = text.trimEnd().length;
  // A fault of what is missing in the end is placed where the text ends, and not in a line after it.
  const at = (offset: number, message: string): YamlFault => ({
    ...positionAt(lines, Math.min(offset, end)),
    path: [],
    message,
  });
  const tokens = [...new yaml.Parser(lines.addNewLine).parse(text)];
  const excess = firstExcess(tokens, rules);
  if (excess) {
    return { document: undefined, lines, faults: [at(excess.offset, excess.message)] };
  }
  // Keys are compared by the reader below: the library's own check is quadratic.
  const options = { schema: 'core', resolveKnownTags: false, uniqueKeys: false } as const;
  const composer = new yaml.Composer({ ...options, prettyErrors: false });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  const faults = [...(document?.errors ?? []), ...(document?.warnings ?? [])]
    .slice(0, MAX_FAULTS)
    .map((fault) => at(fault.pos[0], inOurWords(fault)));
  if (second) faults.push(at(second.range[0], 'a file holds one document; keep one'));
  const isGood = document !== undefined && faults.length === 0;
  return { document: isGood ? (document as Document) : undefined, lines, faults };
};

const MERGE = '<<';
const PLAIN_TAG = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq)$/;

class Reader {
  readonly faults: YamlFault[] = [];
  readonly places = new Map<string, YamlLocation>();
  readonly #yaml: YamlLibrary;
  readonly #rules: YamlRules;
  readonly #lines: LineCounter;
  readonly #anchors = new Map<string, Node>();
  #left: number;

  constructor(yaml: YamlLibrary, rules: YamlRules, lines: LineCounter) {
    this.#yaml = yaml;
    this.#rules = rules;
    this.#lines = lines;
    this.#left = rules.maxNodes;
  }

  complain(node: unknown, path: YamlPath, message: string): void {
    if (this.faults.length >= MAX_FAULTS) return;
    this.faults.push({ ...(this.#start(node) ?? { line: 1, column: 1 }), path, message });
  }

  /** Walks every node, so nothing that is refused can hide behind another fault. */
  read(node: unknown, path: YamlPath): unknown {
    const { isAlias, isMap, isNode, isScalar, isSeq } = this.#yaml;
    if (!isNode(node)) return null;
    this.#left -= 1;
    const fault = this.#faultOf(node, path.length);
    if (fault !== undefined) {
      // Once the budget is spent every further node is one too many; one complaint says it.
      if (this.#left >= -1) this.complain(node, path, fault);
      return null;
    }
    if (isAlias(node)) return this.#follow(node, path);
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return node.value;
    if (isSeq(node)) return node.items.map((item, index) => this.#item(item, [...path, index]));
    return isMap(node) ? this.#map(node.items, path) : null;
  }

  /** Finds what makes a node unusable, whatever it holds. */
  #faultOf(node: Node, depth: number): string | undefined {
    const { maxDepth, maxNodes, aliases } = this.#rules;
    if (this.#left < 0) return `holds more than ${maxNodes} values once its aliases are followed`;
    if (depth > maxDepth) return tooDeep(maxDepth);
    const { tag, anchor } = node as { tag?: string; anchor?: string };
    if (aliases === 'refuse') {
      if (this.#yaml.isAlias(node)) return 'aliases are not allowed; write the value out';
      if (anchor !== undefined) return 'anchors are not allowed';
      return tag === undefined ? undefined : 'tags are not allowed';
    }
    return tag === undefined || PLAIN_TAG.test(tag) ? undefined : 'tags are not allowed';
  }

  #follow(alias: { readonly source: string }, path: YamlPath): unknown {
    const target = this.#anchors.get(alias.source);
    if (target) return this.read(target, path);
    this.complain(alias, path, 'there is no anchor of this name');
    return null;
  }

  #item(node: unknown, path: YamlPath): unknown {
    this.places.set(placeKey(path), { value: this.#start(node), node });
    return this.read(node, path);
  }

  #map(pairs: readonly Pair[], path: YamlPath): Record<string, unknown> {
    const record: Record<string, unknown> = {};
    const merged: Record<string, unknown>[] = [];
    for (const { key: node, value } of pairs) {
      const key = this.#key(node, path);
      if (key === undefined) continue;
      const below = [...path, key];
      if (key === MERGE) {
        merged.push(...this.#merged(value, below));
        continue;
      }
      if (Object.hasOwn(record, key)) {
        this.complain(node, below, `${key} is set twice; keep one`);
        continue;
      }
      const place = { key: this.#start(node), value: this.#start(value), node: value };
      this.places.set(placeKey(below), place);
      record[key] = this.read(value, below);
    }
    // Own members win, then those of the first map that has them.
    const added = merged.flatMap((source) => Object.entries(source));
    for (const [key, value] of added) if (!Object.hasOwn(record, key)) record[key] = value;
    return record;
  }

  /** Reads what a merge key names: a map, or a list of maps. */
  #merged(node: unknown, path: YamlPath): readonly Record<string, unknown>[] {
    const sources = [this.read(node, path)].flat();
    const maps = sources.filter(isRecord);
    if (maps.length < sources.length) this.complain(node, path, 'only maps can be merged');
    return maps;
  }

  /**
   * Reads a key as it is written, because a tool called 007 must not become 7; `undefined` after a
   * complaint.
   */
  #key(node: unknown, path: YamlPath): string | undefined {
    const scalar = this.#yaml.isScalar(node) ? (node as Scalar) : undefined;
    const key = scalar?.source ?? (scalar && String(scalar.value));
    if (key === undefined || scalar?.value === null) {
      this.complain(node, path, 'a key must be plain text');
    } else if (isPrototypeKey(key)) this.complain(node, path, `the key ${key} is not allowed`);
    else if (key === MERGE && this.#rules.mergeKeys !== true) {
      this.complain(node, path, 'merge keys are not allowed');
    } else return key;
    return undefined;
  }

  #start(node: unknown): Position | undefined {
    const range = (node as Node | null)?.range;
    return range ? positionAt(this.#lines, range[0]) : undefined;
  }
}

const placeKey = (path: YamlPath): string => path.join('\0');

export interface YamlReading {
  /** `undefined` when the document could not be composed. */
  readonly value: unknown;
  readonly faults: readonly YamlFault[];
  readonly lines: LineCounter;
  /** Finds the position of what is at a path, where there is something. */
  placeOf(path: YamlPath): YamlLocation | undefined;
}

/** Reads a text to plain data. Never throws for bad text: what is wrong comes back as faults. */
export const readYaml = (yaml: YamlLibrary, text: string, rules: YamlRules): YamlReading => {
  const { document, lines, faults } = composeYaml(yaml, text, rules);
  if (!document) return { value: undefined, faults, lines, placeOf: () => undefined };
  const reader = new Reader(yaml, rules, lines);
  reader.places.set('', { value: positionAt(lines, 0), node: document.contents });
  const value = reader.read(document.contents, []);
  const placeOf = (path: YamlPath): YamlLocation | undefined => reader.places.get(placeKey(path));
  return { value, faults: reader.faults, lines, placeOf };
};
