/** Reads a GraphQL document before it is sent: reports its faults, and what it would do. */
import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql';
import { ToolFailure } from '../../contract/errors.ts';

/** Longer or deeper documents overload a parser, Toolcrib's or the service's. */
const MAX_TOKENS = 10_000;

const invalid = (field: string, message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, { issues: [{ path: [field], message }] });

const syntaxFailure = ({ message, locations }: GraphQLError): ToolFailure => {
  const at = locations?.[0];
  const position = at ? ` at line ${at.line}, column ${at.column}` : '';
  return invalid('query', `${message.replace(/^Syntax Error: /, 'Syntax error: ')}${position}`);
};

const parseDocument = async (query: string): Promise<DocumentNode> => {
  const { GraphQLError: Fault, parse } = await import('graphql');
  try {
    return parse(query, { maxTokens: MAX_TOKENS, noLocation: true });
  } catch (error) {
    if (error instanceof Fault) throw syntaxFailure(error);
    if (error instanceof RangeError) throw invalid('query', 'The query is nested too deep.');
    throw error;
  }
};

export interface GraphqlQuestion {
  readonly query: string;
  readonly operation: 'query' | 'mutation';
  readonly operationName?: string | undefined;
}

const assertRunnable = (
  operations: readonly OperationDefinitionNode[],
  name: string | undefined,
): void => {
  if (name !== undefined) {
    if (operations.some((operation) => operation.name?.value === name)) return;
    throw invalid('operationName', 'The document holds no operation of that name.');
  }
  if (operations.length === 0) throw invalid('query', 'The document holds no operation.');
  if (operations.length === 1) return;
  throw invalid('operationName', 'The document holds several operations: name the one to run.');
};

/**
 * Checks a document. Fails with VALIDATION_ERROR when it cannot be parsed, or does more than was
 * declared: policy and approver judged the declaration. All operations count, not only the named one,
 * because the service chooses which one to run.
 */
export const checkDocument = async (request: GraphqlQuestion): Promise<void> => {
  const { definitions } = await parseDocument(request.query);
  const operations = definitions.filter((each) => each.kind === 'OperationDefinition');
  assertRunnable(operations, request.operationName);
  for (const { operation } of operations) {
    if (operation === 'subscription') {
      throw invalid('query', 'Subscriptions are not supported: there is one answer to a call.');
    }
    if (operation !== request.operation) {
      throw invalid(
        'operation',
        `The document holds a ${operation}, and the call declares a ${request.operation}.`,
      );
    }
  }
};
