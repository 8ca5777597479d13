/** The typed API: a TypeScript declaration of each tool, made once for each definition from its schemas. */
import type { Tool } from '../../contract/tool.ts';
import type { ApiTool } from './api-tools.ts';
import { docComment } from './doc-comment.ts';
import { SchemaTypes } from './schema-type.ts';

/** Declarations of what code can use besides the tools. */
export const COMMON_DECLARATIONS = `interface StoredResult {
  /** Read it with results.read or results.json. */
  handle: string;
  bytes: number;
  preview: string;
}
declare const results: {
  /** A part of a result that was too long to be returned: see tools.read_result. */
  read(handle: string, part?: { offset?: number; limit?: number; query?: string; grep?: string; context?: number }): Promise<any>;
  /** All of a stored result, as data. */
  json(handle: string): Promise<any>;
};
declare const console: Record<'log' | 'info' | 'debug' | 'warn' | 'error', (...values: unknown[]) => void>;
/** What a tool refused or failed with is thrown. */
interface ToolError extends Error {
  code: string;
  suggestions: string[];
}`;

interface Declared {
  readonly identifier: string;
  readonly method: string;
  readonly types: readonly string[];
}

const needsInput = (input: ApiTool['input']): boolean =>
  Array.isArray(input.required) && input.required.length > 0;

const declare = ({ identifier, tool, input, output }: ApiTool): Declared => {
  const inputs = new SchemaTypes(input, `${identifier}_Input`);
  const mark = needsInput(input) ? '' : '?';
  const inputType = inputs.typeOf(input, 1);
  const outputs = output && new SchemaTypes(output, `${identifier}_Output`);
  // Not `unknown`: without a schema, checked code must still be able to use the result.
  const returned = outputs && output ? outputs.typeOf(output, 1) : 'any';
  const comment = docComment({ description: tool.description }, '  ');
  return {
    identifier,
    method: `${comment}  ${identifier}(input${mark}: ${inputType}): Promise<${returned}>;`,
    types: [...inputs.named.values(), ...(outputs?.named.values() ?? [])],
  };
};

/** Caches declarations: a definition does not change while it is registered. */
const createDeclarations = (): ((tool: ApiTool) => Declared) => {
  const cache = new WeakMap<Tool, Declared>();
  return (each) => {
    const cached = cache.get(each.tool);
    if (cached?.identifier === each.identifier) return cached;
    const declared = declare(each);
    cache.set(each.tool, declared);
    return declared;
  };
};

/** Writes the declarations of tools in the given order: the same text for the same tools. */
export type DeclareTools = (tools: readonly ApiTool[]) => string;

export const createDeclareTools = (): DeclareTools => {
  const declared = createDeclarations();
  return (tools) => {
    const all = tools.map(declared);
    const types = all.flatMap((each) => each.types);
    const methods = all.map(({ method }) => method);
    return [...types, 'declare const tools: {', ...methods, '};'].join('\n');
  };
};
