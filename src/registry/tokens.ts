/** Counts the prompt tokens of a definition with a real tokenizer, loaded when somebody first asks. */
import type { TokenReport } from '../contract/catalog.ts';
import type { Tool, ToolSource } from '../contract/tool.ts';

/** Runs of one kind of character this long make the tokenizer quadratic, so such a text is counted in pieces. */
const LONG_RUN = /\p{L}{2000}|\s{2000}|[^\p{L}\s]{2000}/u;
const PIECE = 2_000;

export const countTokens = async (definition: Record<string, unknown>): Promise<number> => {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base');
  // A text that spells out a special token is text all the same.
  const options = { disallowedSpecial: new Set<string>() };
  return pieces(JSON.stringify(definition)).reduce((sum, text) => sum + count(text, options), 0);
};

const pieces = (text: string): readonly string[] => {
  if (!LONG_RUN.test(text)) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) parts.push(text.slice(at, at + PIECE));
  return parts;
};

export interface Counted {
  readonly tool: Tool;
  readonly tokens: number;
}

export const sumTokens = (counted: readonly Counted[]): TokenReport => {
  const bySource: Partial<Record<ToolSource, number>> = {};
  for (const { tool, tokens } of counted) {
    bySource[tool.source] = (bySource[tool.source] ?? 0) + tokens;
  }
  return {
    total: counted.reduce((sum, { tokens }) => sum + tokens, 0),
    bySource,
    byTool: counted.map(({ tool, tokens }) => ({ tool: tool.name, tokens })),
  };
};
