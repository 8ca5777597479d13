/** The JSON Schemas of the tools that a flow calls, read once. */
import type { Catalog } from '../../../contract/catalog.ts';
import type { FlowDefinition } from '../../../contract/flow.ts';
import type { JsonSchema, Schema } from '../../../contract/schema.ts';
import type { Tool } from '../../../contract/tool.ts';
import {
  compileSchema,
  declaredSchema,
  type SchemaSide,
} from '../../../registry/schema/compile-schema.ts';
import { simplifySchema } from './simplify-schema.ts';

export type FlowTools = Pick<Catalog, 'get' | 'suggest' | 'versions'>;

/** What a tool or a flow takes: in the few words that references are compared by, and as it is run with. */
export interface InputShape {
  readonly json: JsonSchema;
  readonly schema: Schema;
}

export interface ToolShapes {
  readonly tool: Tool;
  readonly input: InputShape | undefined;
  readonly output: JsonSchema | undefined;
}

const shapeOf = (schema: Schema): InputShape => ({ json: simplifySchema(schema.json), schema });

/** Reads what a flow takes, whoever wrote it; nothing where it says nothing that can be read. */
export const flowInputShape = async ({
  input,
}: Pick<FlowDefinition, 'input'>): Promise<InputShape | undefined> => {
  try {
    const source = typeof input === 'function' ? input() : input;
    return source && shapeOf(await compileSchema(source));
  } catch {
    return undefined;
  }
};

/** A schema that cannot be read is the pipeline's to refuse; here nothing is known of it. */
const schemaOf = async (tool: Tool, side: SchemaSide): Promise<InputShape | undefined> => {
  try {
    const source = declaredSchema(tool, side);
    return source && shapeOf(await compileSchema(source, side));
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
        output: (await schemaOf(tool, 'output'))?.json,
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
