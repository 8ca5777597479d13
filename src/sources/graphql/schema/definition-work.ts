/** The work of reading a GraphQL schema: from text or introspection to the form that is kept. */
import type { GraphQLSchema, IntrospectionQuery } from 'graphql';
import { isRecord } from '../../../kit/data/is-record.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { parseJson } from '../../../kit/http/read-reply.ts';
import { withoutByteOrderMark } from '../../../kit/text/byte-order-mark.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { compactSchema, type GraphqlLibrary } from './compact-schema.ts';
import type { GraphqlDefinition } from './definition.ts';
import { unreadable } from './unreadable.ts';

/** A schema as it came: as text, or as the answer of the service. */
export type SchemaInput =
  | { readonly text: string }
  | { readonly introspection: Readonly<Record<string, unknown>> };

const MAX_TOKENS = 5_000_000;
const MAX_REASON = 500;

/** Says where a syntax error is; '' for another error. */
const placeOf = (error: unknown): string => {
  const [place] = isRecord(error) && Array.isArray(error.locations) ? error.locations : [];
  return isRecord(place) ? ` (line ${place.line}, column ${place.column})` : '';
};

/** Runs the library over what came from outside. It throws plain errors, also for stack overflow. */
const guarded = (build: () => GraphQLSchema): GraphQLSchema => {
  try {
    return build();
  } catch (error) {
    throw unreadable(visibleText(`${reasonOf(error)}${placeOf(error)}`.slice(0, MAX_REASON)));
  }
};

/** Finds the schema in an answer, with or without `data` around it. */
export const introspectionIn = (value: unknown): IntrospectionQuery | undefined => {
  const data = isRecord(value) && isRecord(value.data) ? value.data : value;
  return isRecord(data) && isRecord(data.__schema)
    ? (data as unknown as IntrospectionQuery)
    : undefined;
};

const fromIntrospection = (value: unknown, library: GraphqlLibrary): GraphQLSchema => {
  const introspection = introspectionIn(value);
  if (!introspection) throw unreadable('it is JSON, but no introspection result.');
  return guarded(() => library.buildClientSchema(introspection, { assumeValid: true }));
};

/** Builds a schema from text. Directives that are applied but not defined are accepted. */
const fromText = (text: string, library: GraphqlLibrary): GraphQLSchema => {
  if (/^[\s\ufeff]*\{/.test(text)) {
    const json = parseJson(withoutByteOrderMark(text));
    if (!json) throw unreadable('it starts like JSON and is not valid JSON.');
    return fromIntrospection(json.value, library);
  }
  return guarded(() => {
    const document = library.parse(text, { noLocation: true, maxTokens: MAX_TOKENS });
    return library.buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
  });
};

/** Prepares the work, which throws CONFIG_INVALID where the schema is at fault. */
export const prepare = async (input: SchemaInput): Promise<() => GraphqlDefinition> => {
  const library = await import('graphql');
  return () =>
    compactSchema(
      'text' in input
        ? fromText(input.text, library)
        : fromIntrospection(input.introspection, library),
      library,
    );
};
