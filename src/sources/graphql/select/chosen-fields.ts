/** Checks the fields that a caller asks for, within the limits of the source, and writes them anew. */
import type { FieldNode, GraphQLSchema, SelectionNode, SelectionSetNode } from 'graphql';
import { ToolFailure } from '../../../contract/errors.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { GraphqlLibrary } from '../schema/compact-schema.ts';
import type { SelectionLimits } from './select-fields.ts';

const MAX_TOKENS = 3000;
const MAX_REASON = 300;
const MAX_SHOWN = 5;
/** Levels of lists in pages, which say nothing about how deep a question is. */
const PAGE_LEVELS: readonly string[] = ['edges', 'node', 'nodes'];

export interface ChosenDeps {
  readonly library: GraphqlLibrary;
  readonly schema: GraphQLSchema;
  readonly limits: SelectionLimits;
  /** The name of the input field. */
  readonly field: string;
  /** Writes the whole document around a selection. */
  document(selection: string): string;
}

const invalid = (field: string, ...messages: readonly string[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', messages.join(' '), {
    issues: messages.map((message) => ({ path: [field], message })),
  });

const parsed = (text: string, { library, field }: ChosenDeps): SelectionSetNode => {
  try {
    const document = library.parse(`{ ${text}\n}`, { noLocation: true, maxTokens: MAX_TOKENS });
    const [definition] = document.definitions;
    // Braces that close the selection early would begin another operation.
    if (document.definitions.length === 1 && definition?.kind === 'OperationDefinition') {
      return definition.selectionSet;
    }
  } catch (error) {
    throw invalid(field, reasonOf(error).slice(0, MAX_REASON));
  }
  throw invalid(field, 'Give fields only, such as: id owner { login }.');
};

/** Takes away braces around the whole: `{ id name }` is meant as `id name`. */
const withoutBraces = (text: string): string => {
  const bare = text.trim();
  return bare.startsWith('{') && bare.endsWith('}') ? bare.slice(1, -1) : bare;
};

class Limits {
  readonly #deps: ChosenDeps;
  #fields = 0;

  constructor(deps: ChosenDeps) {
    this.#deps = deps;
  }

  check({ selections }: SelectionSetNode, depth: number): void {
    const { limits, field } = this.#deps;
    if (depth > limits.maxDepth) {
      throw invalid(field, `The fields may be nested ${limits.maxDepth} levels deep at most.`);
    }
    for (const selection of selections) this.#one(selection, depth);
  }

  #one(selection: SelectionNode, depth: number): void {
    const { limits, field } = this.#deps;
    if ((selection.directives ?? []).length > 0)
      throw invalid(field, 'Directives are not allowed.');
    if (selection.kind === 'FragmentSpread') {
      throw invalid(field, 'Named fragments are not allowed; write `... on Type { }`.');
    }
    this.#fields += 1;
    if (this.#fields > limits.maxFields) {
      throw invalid(field, `A call may ask for ${limits.maxFields} fields at most.`);
    }
    if (selection.kind === 'InlineFragment') this.check(selection.selectionSet, depth);
    else this.#field(selection, depth);
  }

  #field({ alias, name, selectionSet }: FieldNode, depth: number): void {
    const { field } = this.#deps;
    // Another name could stand for a value of another type than the output schema says.
    if (alias) throw invalid(field, 'Fields cannot be renamed.');
    if (name.value.startsWith('__') && name.value !== '__typename') {
      throw invalid(field, 'The schema cannot be asked for here.');
    }
    const level = PAGE_LEVELS.includes(name.value) ? depth : depth + 1;
    if (selectionSet) this.check(selectionSet, level);
  }
}

/** Gives the document with the fields that were chosen. Fails with VALIDATION_ERROR. */
export const chosenDocument = (text: string, deps: ChosenDeps): string => {
  const { library, schema, field } = deps;
  const selection = parsed(withoutBraces(text), deps);
  new Limits(deps).check(selection, 1);
  const document = deps.document(library.print(selection));
  const faults = library.validate(
    schema,
    library.parse(document, { noLocation: true }),
    undefined,
    {
      maxErrors: MAX_SHOWN,
    },
  );
  if (faults.length === 0) return document;
  throw invalid(field, ...faults.map(({ message }) => message.slice(0, MAX_REASON)));
};
