/** One tool in the dialect of one provider. */
import type { ModelProvider } from '../../contract/catalog.ts';
import { anthropicTool } from './anthropic.ts';
import { below, type Defined, type Loss, type Shown } from './definition.ts';
import { geminiTool } from './gemini.ts';
import { mcpTool } from './mcp.ts';
import { openaiTool } from './openai.ts';

const DIALECTS: Readonly<Record<ModelProvider, (shown: Shown) => Defined>> = {
  openai: openaiTool,
  anthropic: anthropicTool,
  gemini: geminiTool,
  mcp: mcpTool,
};

export const defineFor = (provider: ModelProvider, shown: Shown): Defined => {
  // Such a tool cannot run either; sent along, it would fail the whole request or be fetched by the other side.
  const foreign = foreignReference(shown.input);
  return foreign ? { losses: [foreign] } : DIALECTS[provider](shown);
};

const MAX_PLACES = 20_000;

const foreignReference = (schema: unknown): Loss | undefined => {
  const places: { readonly value: unknown; readonly path: string }[] = [
    { value: schema, path: '' },
  ];
  for (const { value, path } of places) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string' && !inner.startsWith('#')) {
        return { path, lost: '$ref' };
      }
      if (typeof inner === 'object') places.push({ value: inner, path: below(path, key) });
    }
    if (places.length > MAX_PLACES) return { path: '', lost: 'size' };
  }
  return undefined;
};
