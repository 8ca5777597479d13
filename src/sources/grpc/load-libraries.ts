/** Loads gRPC when a source of its kind is read or called, or says what to install. */
import { createRequire } from 'node:module';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';

export type Grpc = typeof import('@grpc/grpc-js');

/** The part of the parser behind `@grpc/proto-loader` that is used. */
export interface ProtoParser {
  readonly Root: new () => { toJSON(options: { readonly keepComments: boolean }): unknown };
  parse(
    text: string,
    root: object,
    options: { readonly keepCase: true; readonly alternateCommentMode: true },
  ): {
    readonly package?: string | null | undefined;
    readonly imports?: readonly string[] | undefined;
    readonly weakImports?: readonly string[] | undefined;
  };
}

const MISSING: ReadonlySet<string> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

const missing = (what: string): ToolFailure =>
  new ToolFailure('DEPENDENCY_MISSING', `${what} needs a package that is not installed.`, {
    suggestions: ['Install it: npm install @grpc/grpc-js @grpc/proto-loader'],
  });

/** Fails with DEPENDENCY_MISSING when the package is not there. */
export const loadGrpc = async (): Promise<Grpc> => {
  try {
    return await import('@grpc/grpc-js');
  } catch (error) {
    throw MISSING.has(errorCodeOf(error)) ? missing('A gRPC source') : error;
  }
};

/** Loads the parser of proto files, which comes with another package. Fails like `loadGrpc`. */
export const loadProtoParser = (): ProtoParser => {
  try {
    const loader = createRequire(import.meta.url).resolve('@grpc/proto-loader');
    return createRequire(loader)('protobufjs') as ProtoParser;
  } catch (error) {
    throw MISSING.has(errorCodeOf(error)) ? missing('A gRPC source with proto files') : error;
  }
};
