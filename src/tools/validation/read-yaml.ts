/** Reads YAML for validation: every document of a stream, and its faults with their places. */
import type { Document, LineCounter, YAMLError, YAMLMap } from 'yaml';
import { ToolFailure } from '../../contract/errors.ts';
import { firstExcess, positionAt as yamlPosition } from '../../kit/text/strict-yaml.ts';
import { type Finding, positionAt } from './validation-report.ts';

export interface YamlDocument {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Returns plain data. Throws for aliases that expand without limit. */
  toValue(): unknown;
  /** Finds where the value at a JSON Pointer starts. */
  placeOf(pointer: string): { line: number; column: number } | undefined;
}

type Library = typeof import('yaml');

const MAX_ALIASES = 1000;
const MAX_DEPTH = 500;
const LIMITS = { maxDepth: MAX_DEPTH, maxNodes: Number.POSITIVE_INFINITY };

const escaped = (key: unknown): string => String(key).replaceAll('~', '~0').replaceAll('/', '~1');

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

const bomb = () =>
  new ToolFailure('SECURITY_VIOLATION', 'The aliases of the document expand without measure.', {
    suggestions: ['Write the repeated parts out, or use fewer aliases.'],
  });

interface Reading {
  readonly yaml: Library;
  readonly lines: LineCounter;
  readonly document: Document.Parsed;
}

/** Makes the JSON Pointer of a node from its ancestors, as `visit` gives them. */
const pointerOf = ({ yaml }: Reading, ancestors: readonly unknown[]): string =>
  ancestors
    .map((node, index) => {
      const child = ancestors[index + 1];
      if (yaml.isPair(node)) return `/${escaped(yaml.isScalar(node.key) ? node.key.value : '?')}`;
      return yaml.isSeq(node) && child !== undefined ? `/${node.items.indexOf(child)}` : '';
    })
    .join('');

/** Finds repeated keys with a set, because comparing every key with every other is quadratic. */
const repeatedKeys = (reading: Reading, map: YAMLMap, above: () => string): Finding[] => {
  const names = new Set<string>();
  return map.items.flatMap(({ key }) => {
    if (!reading.yaml.isScalar(key)) return [];
    const name = `${typeof key.value}:${String(key.value)}`;
    const isRepeated = names.has(name);
    names.add(name);
    if (!isRepeated) return [];
    const position = yamlPosition(reading.lines, key.range?.[0] ?? 0);
    return [
      { path: `${above()}/${escaped(key.value)}`, message: 'The key occurs twice', ...position },
    ];
  });
};

/** Finds repeated keys and aliases without an anchor before them, in the order of the text. */
const problemsIn = (reading: Reading): readonly Finding[] => {
  const findings: Finding[] = [];
  const anchors = new Set<string>();
  const note = ({ anchor }: { readonly anchor?: string }): void => {
    if (anchor !== undefined) anchors.add(anchor);
  };
  reading.yaml.visit(reading.document, {
    Scalar: (_key, scalar) => note(scalar),
    Seq: (_key, seq) => note(seq),
    Map: (_key, map, ancestors) => {
      note(map);
      findings.push(...repeatedKeys(reading, map, () => pointerOf(reading, [...ancestors, map])));
    },
    Alias: (_key, alias, ancestors) => {
      if (anchors.has(alias.source)) return;
      const path = pointerOf(reading, [...ancestors, alias]);
      const position = yamlPosition(reading.lines, alias.range?.[0] ?? 0);
      findings.push({ path, message: 'The alias names no anchor before it', ...position });
    },
  });
  return findings;
};

const findingOf = (reading: Reading, { message, pos }: YAMLError): Finding => ({
  path: '',
  message,
  ...yamlPosition(reading.lines, pos[0]),
});

const toValue = ({ document }: Reading): unknown => {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (error instanceof ReferenceError) throw bomb();
    throw error;
  }
};

const placeOf = (reading: Reading, pointer: string) => {
  const keys = pointer.split('/').slice(1).map(unescaped);
  const node = keys.length === 0 ? reading.document.contents : reading.document.getIn(keys, true);
  return reading.yaml.isNode(node) && node.range
    ? yamlPosition(reading.lines, node.range[0])
    : undefined;
};

/** Makes the report of a document that was not parsed. */
const unread = (finding: Finding): YamlDocument => ({
  errors: [finding],
  warnings: [],
  toValue: () => undefined,
  placeOf: () => undefined,
});

/** Reads the documents of a stream; an empty text is one empty document. */
export const readYaml = (yaml: Library, text: string): readonly YamlDocument[] => {
  // Before the library recurses.
  const excess = firstExcess([...new yaml.Parser().parse(text)], LIMITS);
  if (excess) {
    const message = `Nested deeper than ${MAX_DEPTH} levels`;
    return [unread({ path: '', message, ...positionAt(text, excess.offset) })];
  }
  const lines = new yaml.LineCounter();
  const options = {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  } as const;
  const parsed = [...yaml.parseAllDocuments(text, options)];
  const documents = parsed.length > 0 ? parsed : [yaml.parseDocument(text, options)];
  return documents.map((document) => {
    const reading = { yaml, lines, document };
    return {
      errors: [
        ...document.errors.map((error) => findingOf(reading, error)),
        ...problemsIn(reading),
      ],
      warnings: document.warnings.map((warning) => findingOf(reading, warning)),
      toValue: () => toValue(reading),
      placeOf: (pointer) => placeOf(reading, pointer),
    };
  });
};
