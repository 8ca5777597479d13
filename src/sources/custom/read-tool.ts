/** What the readers of both kinds of file are given, and what they answer with. */
import type { Tool } from '../../contract/tool.ts';
import type { Runner } from './build-tool.ts';
import type { CompiledCode, ToolCode } from './compile-tool.ts';
import type { Place } from './file-problem.ts';

export interface Compilation {
  readonly compiled: CompiledCode;
  /** What the module told of its tools, asked for once for each content. */
  told(ask: () => Promise<unknown>): Promise<unknown>;
}

export interface ReaderDeps extends Runner {
  /** From the cache where it can be. Throws `BadToolFile`. */
  compile(code: ToolCode): Promise<Compilation>;
}

export interface FoundTool {
  readonly tool: Tool;
  /** Where its name stands. */
  readonly place: Place;
}

export type ReadTool = (
  source: { readonly file: string; readonly text: string },
  deps: ReaderDeps,
) => Promise<readonly FoundTool[]>;
