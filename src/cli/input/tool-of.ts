/** Looks a tool up for a command that needs one, and helps with misspelt names. */
import type { Catalog, CatalogEntry } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';

/** Fails with TOOL_NOT_FOUND and the names that come close. */
export const toolOf = (tools: Catalog, name: string): CatalogEntry => {
  const entry = tools.get(name);
  if (entry) return entry;
  const close = tools.suggest(name);
  throw new ToolFailure('TOOL_NOT_FOUND', 'There is no tool of that name.', {
    suggestions: [
      ...(close.length > 0 ? [`Did you mean ${close.join(', ')}?`] : []),
      'See them all: toolcrib tools',
    ],
  });
};
