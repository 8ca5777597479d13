/** The answer to talk where there is no model: how to configure one, and tools that may be meant. */
import type { Catalog } from '../../contract/catalog.ts';
import { ERRORS, toolError } from '../../contract/errors.ts';
import { type Io, note, printJson } from '../io.ts';
import { errorLines } from '../output/error-lines.ts';

const MOST_NAMED = 3;

/** The example that a tool comes with says best how it is called. */
const hintsFor = (tools: Catalog, text: string): readonly string[] => {
  const found = tools.search({ text, limit: MOST_NAMED, filter: { enabled: true } });
  const names = [
    ...new Set([...tools.suggest(text), ...found.map(({ entry }) => entry.tool.name)]),
  ];
  return names.slice(0, MOST_NAMED).map((name) => {
    const example = tools.get(name)?.tool.examples?.[0]?.input;
    return `Or did you mean: ${name} ${JSON.stringify(example ?? {})}`;
  });
};

export const answerWithoutModel = (io: Io, tools: Catalog, text: string): number => {
  const error = toolError(
    'MODEL_NOT_CONFIGURED',
    'Talk needs a language model, and none is configured.',
    {
      suggestions: [
        'Add a section `model:` with provider, model and apiKeyRef to your own configuration.',
        'Keep the key under the name in apiKeyRef: /secrets set <name>',
        ...hintsFor(tools, text),
      ],
    },
  );
  if (io.json) printJson(io, { success: false, status: 'failure', error });
  else note(io, ...errorLines(error, io.noteInk));
  return ERRORS[error.code].exit;
};
