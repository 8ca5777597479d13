/** The interface of the readers of both kinds of file. */
import type { Tool } from '../../contract/tool.ts';
import type { Runner } from './build-tool.ts';
import type { CompiledCode, ToolCode } from './compile-tool.ts';
import type { ComposedFile } from './composed-file.ts';
import type { Position } from './file-problem.ts';

export interface Compilation {
  readonly compiled: CompiledCode;
  /** Gives the description of the module's tools; `ask` runs once for each content. */
  describe(ask: () => Promise<unknown>): Promise<unknown>;
}

export interface ReaderDeps extends Runner {
  /** How long a module may take to describe its tools. */
  readonly maxDescribeMs?: number;
  /** Compiles, or reads the cache. Throws `BadToolFile`. */
  compile(code: ToolCode): Promise<Compilation>;
}

/** What a file holds: tools, or a composition of tools that others hold. */
export type FileContent = readonly LocatedTool[] | ComposedFile;

export interface LocatedTool {
  readonly tool: Tool;
  /** The position of its name. */
  readonly position: Position;
}

export type ReadTool = (
  source: { readonly file: string; readonly text: string },
  deps: ReaderDeps,
) => Promise<FileContent>;
