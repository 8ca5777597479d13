/**
 * Tools in the shapes that agent frameworks take. The types describe their structure, so that
 * neither the contract nor a program that uses one framework needs the libraries of the others.
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
   * The conversation in which ids of calls are unique: the same id again is the same call. By default the
   * session of the caller; without a session, each set is a scope of its own.
   */
  readonly scope?: string;
}

/** What became of a call, as plain data that may be kept in a conversation. */
export type ToolReply = Pick<
  ToolResult,
  'success' | 'status' | 'data' | 'error' | 'warnings' | 'approval'
> & { readonly executionId?: string };

/** How far one call of a turn is. */
export interface CallProgress {
  /** As the model or its provider named the call. */
  readonly callId: string;
  readonly tool: string;
  readonly fraction: number;
  readonly note?: string;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  onProgress?(progress: CallProgress): void;
}

interface NamedTools {
  /** Tells whether a tool belongs to this set; calls of other tools are for others to answer. */
  has(name: string): boolean;
  /** What the provider's schema dialect cannot express, tool by tool. */
  readonly losses: ModelTools['losses'];
}

/** What the AI SDK passes on as a preliminary result while a call runs. */
export interface CallInProgress {
  readonly status: 'running';
  readonly progress: { readonly fraction: number; readonly note?: string };
}

/** The part of a message of the AI SDK that answers to approvals are read from. */
export interface AiSdkMessage {
  readonly role: string;
  readonly content: unknown;
}

export interface AiSdkOptions extends ToolSetOptions {
  /** Yields how far a call is as preliminary results, for `streamText` and its user interfaces. */
  readonly streamProgress?: boolean;
  /**
   * Asks about calls through the approval parts of the SDK. `decidedBy` is the authenticated
   * person in whose name the answers in `messages` are taken. An answer to a call that does not wait, or
   * that has changed, is ignored.
   */
  readonly approvalParts?: {
    readonly decidedBy: string;
    readonly messages?: readonly AiSdkMessage[];
  };
}

export interface AiSdkTool {
  readonly description: string;
  /** Made and read by the AI SDK alone: `never` fits the type that it has there. */
  readonly inputSchema: never;
  execute(
    input: unknown,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ): Promise<ToolReply> | AsyncIterable<ToolReply | CallInProgress>;
  /** Tells whether a call waits for a person; only with `approvalParts`. */
  needsApproval?(input: unknown, options: { readonly toolCallId: string }): Promise<boolean>;
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
  /**
   * Runs the calls of one turn together and answers in their order; it has no other effect.
   *
   * @example
   * const set = await crib.tools.forOpenAI({ names: ['greet'] });
   * const output = [{ type: 'function_call', call_id: 'c1', name: 'greet', arguments: '{"name":"Ada"}' }];
   * const answers = await set.run({ output });
   */
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
  /**
   * Runs the calls of one message together; the blocks belong into one user message.
   *
   * @example
   * const set = await crib.tools.forAnthropic({ names: ['greet'] });
   * const content = [{ type: 'tool_use', id: 'u1', name: 'greet', input: { name: 'Ada' } }];
   * const blocks = await set.run({ content });
   */
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

/** As an agent of `@openai/agents` takes it. */
export interface OpenAiAgentsTool {
  type: 'function';
  name: string;
  description: string;
  parameters: never;
  strict: boolean;
  invoke(
    context: unknown,
    input: string,
    details?: {
      readonly toolCall?: { readonly callId?: string };
      readonly signal?: AbortSignal;
    },
  ): Promise<string | AgentsContent[]>;
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

export type AgentsContent =
  | { type: 'text'; text: string }
  | { type: 'image'; image: { data: string; mediaType: string } };

export interface GeminiDeclaration {
  name: string;
  description: string;
  parameters?: { [keyword: string]: unknown };
}

export interface GeminiCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface GeminiResponsePart {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

export type GeminiTurn =
  | { readonly functionCalls?: readonly GeminiCall[] | undefined }
  | {
      readonly candidates?: readonly {
        readonly content?: {
          readonly parts?: readonly { readonly functionCall?: GeminiCall }[];
        };
      }[];
    }
  | readonly GeminiCall[];

export interface GeminiTools extends NamedTools {
  /** For `config.tools` of `generateContent`: one tool that holds all declarations. */
  readonly tools: { functionDeclarations: GeminiDeclaration[] }[];
  /** For `config.tools` where the library is to make the calls itself (automatic function calling). */
  readonly callable: {
    tool(): Promise<{ functionDeclarations: never }>;
    callTool(calls: readonly GeminiCall[]): Promise<never>;
  };
  /**
   * Runs the calls of one response together; the parts belong into one message of role `user`.
   *
   * @example
   * const set = await crib.tools.forGemini({ names: ['greet'] });
   * const parts = await set.run({ functionCalls: [{ name: 'greet', args: { name: 'Ada' } }] });
   */
  run(turn: GeminiTurn, options?: RunOptions): Promise<GeminiResponsePart[]>;
}

/** The part of Mastra's tool that can be described without its library. */
export interface MastraTool {
  id: string;
  description: string;
  inputSchema?: unknown;
  execute(input: unknown, context?: MastraContext): Promise<ToolReply>;
  toModelOutput(output: unknown): AiSdkOutput;
}

export interface MastraContext {
  readonly abortSignal?: AbortSignal;
  readonly agent?: { readonly toolCallId?: string };
  readonly writer?: { custom?(part: object): Promise<void> };
}

/** The part of LangChain's structured tool that can be described without its library. */
export type LangChainTool = {
  name: string;
  description: string;
  schema: JsonSchema;
  invoke(input: unknown, config?: { readonly signal?: AbortSignal }): Promise<unknown>;
};

/** The tools that are switched on and not in quarantine at that moment; each call is judged by itself. */
export interface ToolSets {
  /**
   * Makes tools for `generateText({ tools })`. Fails with DEPENDENCY_MISSING without the library `ai`.
   *
   * @example
   * const { tools } = await crib.tools.forAiSdk({ filter: { tier: ['read_only'] } });
   */
  forAiSdk(options?: AiSdkOptions): Promise<AiSdkTools>;
  /**
   * Makes tools for the chat completions and responses of OpenAI, and runs the calls of a turn.
   *
   * @example
   * const set = await crib.tools.forOpenAI({ names: ['greet'] });
   * console.log(set.has('greet'));
   */
  forOpenAI(options?: ToolSetOptions): Promise<OpenAiTools>;
  /**
   * Makes tools for the messages of Anthropic, and runs the calls of a turn.
   *
   * @example
   * const set = await crib.tools.forAnthropic({ surface: 'search' });
   * console.log(set.losses);
   */
  forAnthropic(options?: ToolSetOptions): Promise<AnthropicTools>;
  /**
   * Makes structured tools of `@langchain/core`; name its type to have them typed so.
   *
   * @example
   * const tools = await crib.tools.forLangChain({ caller: { userId: 'ada' } });
   */
  forLangChain<T = LangChainTool>(options?: ToolSetOptions): Promise<T[]>;
  /**
   * Makes tools for `new Agent({ tools })`. Fails with DEPENDENCY_MISSING without `@openai/agents`.
   *
   * @example
   * const tools = await crib.tools.forOpenAIAgents({ caller: { userId: 'ada' } });
   */
  forOpenAIAgents(options?: ToolSetOptions): Promise<OpenAiAgentsTool[]>;
  /**
   * Makes declarations for Gemini, and runs the calls of a turn.
   *
   * @example
   * const { tools } = await crib.tools.forGemini({ names: ['greet'] });
   */
  forGemini(options?: ToolSetOptions): Promise<GeminiTools>;
  /**
   * Makes tools for `new Agent({ tools })` of Mastra. Fails with DEPENDENCY_MISSING without
   * `@mastra/core`.
   *
   * @example
   * const tools = await crib.tools.forMastra({ caller: { userId: 'ada' } });
   */
  forMastra<T = MastraTool>(options?: ToolSetOptions): Promise<Record<string, T>>;
}
