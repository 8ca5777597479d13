/** What the compiler knows of a crib's tools: their input and their data, by name. */
import type { Tool } from './tool.ts';

/** What one tool takes and what the data of its results is. */
export interface ToolTypes {
  readonly input: unknown;
  readonly output: unknown;
}

/** The tools that a program calls by name: `{ greet: { input: { name: string }; output: string } }`. */
export type ToolMap = { readonly [name: string]: ToolTypes };

/**
 * The tool map of a list of tools made by `defineTool`.
 *
 * @example
 * const tools = [greet] as const;
 * const typed: Crib<ToolMapOf<typeof tools>> = await createCrib({ tools });
 * await typed.execute('greet', { name: 'Ada' });
 */
export type ToolMapOf<Tools extends readonly Tool[]> = {
  readonly [T in Tools[number] as LiteralName<T>]: T extends Tool<infer I, infer O>
    ? { readonly input: I; readonly output: O }
    : ToolTypes;
};

/** The name where it is a literal; a tool whose name is just a text adds nothing to the map. */
type LiteralName<T extends Tool> = string extends T['name'] ? never : T['name'];

/** A name that the map does not know: what is passed to it is checked by its schema alone. */
export type OtherName<Tools extends ToolMap, N extends string> = N extends keyof Tools ? never : N;

/** A tool, or a name that the map knows. */
export type KnownTool<Tools extends ToolMap> = Tool | (keyof Tools & string);

/** What a tool takes: by its own types, or those of its name. */
export type InputOf<Tools extends ToolMap, T> =
  T extends Tool<infer I, unknown> ? I : T extends keyof Tools ? Tools[T]['input'] : unknown;

/** The data of a tool's results. */
export type OutputOf<Tools extends ToolMap, T> =
  T extends Tool<infer _, infer O> ? O : T extends keyof Tools ? Tools[T]['output'] : unknown;
