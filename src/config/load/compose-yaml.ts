/**
 * Text to a YAML document, with the bounds that keep hostile text from costing more than it should.
 * The composer of the library recurses, and deep nesting can take the whole process down with it, so
 * the depth is measured on the flat token tree first.
 */
import type { CST, Document, LineCounter, YAMLError } from 'yaml';

export const MOST_BYTES = 256 * 1024;
export const DEEPEST = 32;
export const MOST_NODES = 50_000;
/** More than this from one text is noise. */
export const MOST_PROBLEMS = 20;

export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
}

export type Composed =
  | { readonly document: Document; readonly lines: LineCounter; readonly problems: readonly [] }
  | { readonly document: undefined; readonly problems: readonly TextProblem[] };

/** Finds the first token that is nested too deep or one too many. Does not recurse. */
const firstExcess = (
  tokens: readonly CST.Token[],
): { offset: number; message: string } | undefined => {
  const stack: [token: CST.Token, depth: number][] = tokens.map((token) => [token, 0]);
  for (let seen = 0; stack.length > 0; seen += 1) {
    const [token, depth] = stack.pop() as [CST.Token, number];
    const offset = 'offset' in token ? token.offset : 0;
    if (depth > DEEPEST) return { offset, message: `nested deeper than ${DEEPEST} levels` };
    if (seen > MOST_NODES) return { offset, message: `holds more than ${MOST_NODES} values` };
    if (token.type === 'document' && token.value) stack.push([token.value, depth + 1]);
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) stack.push([key, depth + 1]);
      if (value) stack.push([value, depth + 1]);
    }
  }
  return undefined;
};

/** The library quotes the token at fault in some messages; that may be a secret. */
const inOurWords = ({ code, message }: YAMLError): string =>
  code === 'TAG_RESOLVE_FAILED'
    ? 'custom tags are not allowed'
    : message.replace(/: ".*$/s, '').replace(/^./, (letter) => letter.toLowerCase());

/** Never throws for bad text: what is wrong comes back as problems, and then there is no document. */
export const composeYaml = async (text: string): Promise<Composed> => {
  const { Composer, LineCounter, Parser } = await import('yaml');
  const lines = new LineCounter();
  const problemAt = (offset: number, message: string): TextProblem => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), path: '', message };
  };
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const excess = firstExcess(tokens);
  if (excess) {
    return { document: undefined, problems: [problemAt(excess.offset, excess.message)] };
  }
  // Unique keys are checked by the reader of the document: the library's check is quadratic.
  const composer = new Composer({
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [document, second] = [...composer.compose(tokens, true, text.length)];
  const faults = [...(document?.errors ?? []), ...(document?.warnings ?? [])].map((fault) =>
    problemAt(fault.pos[0], inOurWords(fault)),
  );
  if (second) {
    faults.push(problemAt(second.range[0], 'a configuration file holds one document; keep one'));
  }
  return document === undefined || faults.length > 0
    ? { document: undefined, problems: faults.slice(0, MOST_PROBLEMS) }
    : { document: document as Document, lines, problems: [] };
};
