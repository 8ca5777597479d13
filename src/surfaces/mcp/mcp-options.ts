/** The options of an MCP surface, their check, and the identity of its clients. */
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

/** The proven identity of a client. `key` is unique to it. */
export interface McpIdentity {
  readonly key: string;
  readonly caller: McpCaller;
}

export interface McpSurfaceOptions {
  readonly runtime: Runtime;
  /** The version of Toolcrib that clients see. */
  readonly version: string;
  readonly surface?: SurfaceKind;
  /** Offers only the tools of these MCP servers, by their names in the configuration; full surface only. */
  readonly servers?: readonly string[];
  /**
   * The flows that are offered as tools, by their names; `*` is all, which is the default. Full surface
   * only, and not together with `servers`.
   */
  readonly flows?: readonly string[];
  /** The caller of a connection that belongs to one client, such as stdio. */
  readonly caller?: Partial<Caller>;
  /** `inbox` never asks through the client: for clients whose answer is not a person's. */
  readonly approvals?: 'elicit' | 'inbox';
  /**
   * Words a question for a person, with nothing invisible in it. Without it no question goes
   * through the client: what cannot be shown cannot be approved.
   */
  describe?(request: ApprovalRequest, now: number): string;
  readonly instructions?: string;
  /** Lists of tools wait for it: servers behind the crib may still be listing theirs. */
  readonly listed?: Promise<void>;
  readonly pageSize?: number;
  /** Signs states that travel through clients; 32 bytes or more. Random by default. */
  readonly stateKey?: Uint8Array;
  readonly resources?: readonly ResourceCatalog[];
  readonly prompts?: readonly PromptCatalog[];
  readonly aroundCall?: AroundCall;
  /** The largest body of one HTTP request; 4 MiB by default. */
  readonly maxBodyBytes?: number;
  readonly http?: McpHttpOptions;
}

/** A request before its body is read; a web request is one. */
export interface RequestHead extends Pick<Request, 'method' | 'url'> {
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

export interface McpHttpOptions {
  /** Identifies the client before the body is read. Returning nothing, or throwing, means 401. */
  readonly authenticate: (
    request: RequestHead,
  ) => McpIdentity | undefined | Promise<McpIdentity | undefined>;
  /** Host names without a port, besides those of this machine. */
  readonly hosts?: readonly string[];
  /** Origins of pages that may call, e.g. `https://ops.example.com`, besides those of this machine. */
  readonly origins?: readonly string[];
  /** The URL where clients learn how to log in (RFC 9728). */
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
  flows: optional(texts),
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
