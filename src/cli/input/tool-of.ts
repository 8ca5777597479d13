/** Looks a tool up for a command that needs one, and helps with misspelt names. */
import type { CatalogEntry } from '../../contract/catalog.ts';
import type { Crib } from '../../contract/crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { unansweredHint } from '../session/await-servers.ts';

/** Fails with TOOL_NOT_FOUND and the names that come close. */
export const toolOf = (crib: Pick<Crib, 'tools' | 'servers'>, name: string): CatalogEntry => {
  const { tools } = crib;
  const entry = tools.get(name);
  if (entry) return entry;
  const close = tools.suggest(name);
  throw new ToolFailure('TOOL_NOT_FOUND', 'There is no tool of that name.', {
    suggestions: [
      ...(close.length > 0 ? [`Did you mean ${close.join(', ')}?`] : []),
      ...unansweredHint(crib),
      'See them all: toolcrib tools',
    ],
  });
};
