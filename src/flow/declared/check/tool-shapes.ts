/** The JSON Schemas of the tools that a flow calls, read once. */
import type { Catalog } from '../../../contract/catalog.ts';
import type { FlowDefinition } from '../../../contract/flow.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import type { Tool } from '../../../contract/tool.ts';
import {
  compileSchema,
  declaredSchema,
  type SchemaSide,
} from '../../../registry/schema/compile-schema.ts';
import { simplifySchema } from './simplify-schema.ts';

export type FlowTools = Pick<Catalog, 'get' | 'suggest' | 'versions'>;

export interface ToolShapes {
  readonly tool: Tool;
  readonly input: JsonSchema | undefined;
  readonly output: JsonSchema | undefined;
}

/** Reads what a flow takes, whoever wrote it; nothing where it says nothing that can be read. */
export const flowInputShape = async ({
  input,
}: Pick<FlowDefinition, 'input'>): Promise<JsonSchema | undefined> => {
  try {
    const source = typeof input === 'function' ? input() : input;
    return source && simplifySchema((await compileSchema(source)).json);
  } catch {
    return undefined;
  }
};

/** A schema that cannot be read is the pipeline's to refuse; here nothing is known of it. */
const schemaOf = async (tool: Tool, side: SchemaSide): Promise<JsonSchema | undefined> => {
  try {
    const source = declaredSchema(tool, side);
    return source && simplifySchema((await compileSchema(source, side)).json);
  } catch {
    return undefined;
  }
};

const keyOf = (name: string, version: string | undefined): string => `${name}\0${version ?? ''}`;

export class ShapeReader {
  readonly #tools: FlowTools;
  readonly #shapes = new Map<string, ToolShapes | undefined>();

  constructor(tools: FlowTools) {
    this.#tools = tools;
  }

  async read(name: string, version?: string): Promise<ToolShapes | undefined> {
    const key = keyOf(name, version);
    if (!this.#shapes.has(key)) {
      const tool = this.#tools.get(name, version)?.tool;
      const shapes = tool && {
        tool,
        input: await schemaOf(tool, 'input'),
        output: await schemaOf(tool, 'output'),
      };
      this.#shapes.set(key, shapes);
    }
    return this.#shapes.get(key);
  }

  /** What was read before. */
  get(name: string, version?: string): ToolShapes | undefined {
    return this.#shapes.get(keyOf(name, version));
  }
}
