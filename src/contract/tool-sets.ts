/**
 * Tools in the shapes that agent frameworks take. The shapes are told here by their structure, so
 * that neither the contract nor a program that uses one framework needs the libraries of the others.
 */
import type { CallAs } from './call-options.ts';
import type { ModelTools, ToolFilter } from './catalog.ts';
import type { ToolResult } from './result.ts';
import type { JsonSchema } from './schema.ts';

export interface ToolSetOptions {
  readonly filter?: ToolFilter;
  /** Only these, by name or wire name. One that does not exist fails with TOOL_NOT_FOUND. */
  readonly names?: readonly string[];
  /** Who the model calls for. What belongs to a single call is set by the adapter. */
  readonly caller?: Omit<CallAs, 'idempotencyKey' | 'approvalId' | 'signal' | 'audience'>;
  /** `search` shows three tools that find, describe and call all the others. */
  readonly surface?: 'full' | 'search';
  /**
   * Within it the id of a call is unique, and the same id again is the same call: a conversation. The
   * session of the caller unless given; without one, each set is its own.
   */
  readonly scope?: string;
}

/** What became of a call, as plain data that may be kept in a conversation. */
export type ToolReply = Pick<
  ToolResult,
  'success' | 'status' | 'data' | 'error' | 'warnings' | 'approval'
> & { readonly executionId?: string };

export interface RunOptions {
  readonly signal?: AbortSignal;
}

interface NamedTools {
  /** True for a tool of this set: what else a model was given is for others to answer. */
  has(name: string): boolean;
  /** What the provider's schema dialect cannot express, tool by tool. */
  readonly losses: ModelTools['losses'];
}

export interface AiSdkTool {
  readonly description: string;
  /** Made by the AI SDK, for its eyes only: `never` fits the type it has there. */
  readonly inputSchema: never;
  execute(
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<ToolReply>;
  toModelOutput(options: { readonly output: unknown }): AiSdkOutput;
}

export type AiSdkOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | {
      type: 'content';
      value: (
        | { type: 'text'; text: string }
        | { type: 'image-data'; data: string; mediaType: string }
      )[];
    };

export interface AiSdkTools {
  [wireName: string]: AiSdkTool;
}

export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; strict: boolean; parameters: JsonSchema };
}

export interface ResponsesTool {
  type: 'function';
  name: string;
  description: string;
  strict: boolean;
  parameters: { [keyword: string]: unknown };
}

export interface ChatCall {
  readonly id: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

export interface ResponsesCall {
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

export type ChatTurn =
  | {
      readonly choices: readonly {
        readonly message: { readonly tool_calls?: readonly ChatCall[] | null };
      }[];
    }
  | { readonly role: 'assistant'; readonly tool_calls?: readonly ChatCall[] | null }
  | readonly ChatCall[];

export type ResponsesTurn =
  | { readonly output: readonly { readonly type: string }[] }
  | readonly ResponsesCall[];

export interface OpenAiTools extends NamedTools {
  /** For chat completions. */
  readonly tools: ChatTool[];
  /** For the Responses API. */
  readonly responsesTools: ResponsesTool[];
  /** Runs the calls of one turn together and answers in their order; it has no other effect. */
  run(
    turn: ResponsesTurn,
    options?: RunOptions,
  ): Promise<{ type: 'function_call_output'; call_id: string; output: string }[]>;
  run(
    turn: ChatTurn,
    options?: RunOptions,
  ): Promise<{ role: 'tool'; tool_call_id: string; content: string }[]>;
}

export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
}

export type AnthropicContent =
  | { type: 'text'; text: string }
  | {
      type: 'image';
      source: {
        type: 'base64';
        media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
        data: string;
      };
    };

/** As the tool runner of Anthropic's library takes it. It throws what the model reads as an error. */
export interface AnthropicRunnableTool extends AnthropicTool {
  run(
    input: unknown,
    context?: {
      readonly toolUse?: { readonly id: string };
      readonly signal?: AbortSignal | null | undefined;
    },
  ): Promise<AnthropicContent[]>;
  parse(input: unknown): unknown;
}

export interface AnthropicTools extends NamedTools {
  readonly tools: AnthropicTool[];
  readonly runnable: AnthropicRunnableTool[];
  /** Runs the calls of one message together; the blocks belong into one user message. */
  run(
    message: { readonly content: readonly { readonly type: string }[] },
    options?: RunOptions,
  ): Promise<
    {
      type: 'tool_result';
      tool_use_id: string;
      content: AnthropicContent[];
      is_error: boolean;
    }[]
  >;
}

/** The part of LangChain's structured tool that can be told without its library. */
export type LangChainTool = {
  name: string;
  description: string;
  schema: JsonSchema;
  invoke(input: unknown, config?: { readonly signal?: AbortSignal }): Promise<unknown>;
};

/** The tools that are on and out of quarantine when they are asked for; each call is judged anew. */
export interface ToolSets {
  /** For `generateText({ tools })`. Fails with DEPENDENCY_MISSING without the library `ai`. */
  forAiSdk(options?: ToolSetOptions): Promise<AiSdkTools>;
  forOpenAI(options?: ToolSetOptions): Promise<OpenAiTools>;
  forAnthropic(options?: ToolSetOptions): Promise<AnthropicTools>;
  /** Structured tools of `@langchain/core`; name its type to have them typed so. */
  forLangChain<T = LangChainTool>(options?: ToolSetOptions): Promise<T[]>;
}
