/** What whoever opens an MCP surface chooses, and who a client is once that is known. */
import type { ApprovalRequest } from '../../contract/approver.ts';
import type { CallOptions } from '../../contract/call-options.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Runtime } from '../../contract/runtime.ts';
import {
  type ArgumentCheck,
  amount,
  callback,
  fields,
  list,
  name,
  object,
  oneOf,
  optional,
  runtime,
  text,
  texts,
  withMethods,
} from '../../kit/data/check-arguments.ts';
import type { AroundCall } from './client-link.ts';
import type { PromptCatalog, ResourceCatalog } from './lists/collection.ts';

/**
 * `full` lists every tool, `search` three that find and call the others, `code` one that runs a
 * program against them.
 */
export type SurfaceKind = 'full' | 'search' | 'code';

/** As whom a client calls, and the US dollars that it may spend a day. */
export type McpCaller = Partial<Caller> & Pick<CallOptions, 'dailyUsd'>;

/** Who a client proved to be. `key` is the same for the same client, and nobody else's. */
export interface McpIdentity {
  readonly key: string;
  readonly caller: McpCaller;
}

export interface McpSurfaceOptions {
  readonly runtime: Runtime;
  /** Of Toolcrib, as clients are told. */
  readonly version: string;
  readonly surface?: SurfaceKind;
  /** Offers only the tools of these MCP servers, by their names in the configuration; full surface only. */
  readonly servers?: readonly string[];
  /** Who calls over a connection that is the client's alone, such as stdio. */
  readonly caller?: Partial<Caller>;
  /** `inbox` never asks through the client: for clients whose word is not a person's. */
  readonly approvals?: 'elicit' | 'inbox';
  /**
   * A question as a person has to read it, with nothing invisible in it. Without one nobody is
   * asked through the client: what cannot be shown cannot be approved.
   */
  describe?(request: ApprovalRequest, now: number): string;
  readonly instructions?: string;
  /** Lists of tools wait for it: the servers behind the crib may still be bringing theirs. */
  readonly listed?: Promise<void>;
  readonly pageSize?: number;
  /** Signs what travels through clients; 32 bytes or more. By default it lives as long as the surface. */
  readonly stateKey?: Uint8Array;
  readonly resources?: readonly ResourceCatalog[];
  readonly prompts?: readonly PromptCatalog[];
  readonly aroundCall?: AroundCall;
  /** Of one request over HTTP; 4 MiB by default. */
  readonly maxBodyBytes?: number;
  readonly http?: McpHttpOptions;
}

/** What is known of a request before its body is read; the web's own requests are such heads. */
export interface RequestHead extends Pick<Request, 'method' | 'url'> {
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

export interface McpHttpOptions {
  /** Nothing, or a throw, is a 401. It sees the request before its body is read. */
  readonly authenticate: (
    request: RequestHead,
  ) => McpIdentity | undefined | Promise<McpIdentity | undefined>;
  /** Host names without a port, besides those of this machine. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may call, e.g. `https://ops.example.com`, besides those of this machine. */
  readonly origins?: readonly string[];
  /** Where clients find out how to log in (RFC 9728). */
  readonly resourceMetadataUrl?: string;
}

const http = fields({
  authenticate: callback,
  hosts: optional(texts),
  origins: optional(texts),
  resourceMetadataUrl: optional(text),
} satisfies Record<keyof McpHttpOptions, ArgumentCheck>);

const MIN_KEY_BYTES = 32;

const stateKey: ArgumentCheck = (value) =>
  value instanceof Uint8Array && value.byteLength >= MIN_KEY_BYTES
    ? undefined
    : `has to be a Uint8Array of ${MIN_KEY_BYTES} bytes or more`;

/** Finds what is wrong with the options of a surface: a misspelt `approvals` would go unnoticed. */
export const mcpOptions: ArgumentCheck = fields({
  runtime,
  version: text,
  surface: optional(oneOf('full', 'search', 'code')),
  servers: optional(texts),
  caller: optional(object),
  approvals: optional(oneOf('elicit', 'inbox')),
  describe: optional(callback),
  instructions: optional(name),
  listed: optional(withMethods('then')),
  pageSize: optional(amount),
  stateKey: optional(stateKey),
  resources: optional(list),
  prompts: optional(list),
  aroundCall: optional(callback),
  maxBodyBytes: optional(amount),
  http: optional(http),
} satisfies Record<keyof McpSurfaceOptions, ArgumentCheck>);
