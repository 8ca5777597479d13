/** The settings of a source of the kind `n8n`, as its section of the configuration checks them. */
import type { ErrorCode } from '../../contract/errors.ts';
import type { RetryPolicy } from '../../contract/retry.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import type { ExternalSettings } from '../../contract/source-driver.ts';
import type { Tier } from '../../contract/tool.ts';
import { isLoopback } from '../../kit/http/loopback.ts';

export interface RetrySettings {
  readonly maxAttempts?: number;
  readonly initialDelayMs?: number;
  readonly backoffMultiplier?: number;
  readonly maxDelayMs?: number;
  readonly retryableErrors?: readonly ErrorCode[];
}

export interface WorkflowSettings {
  readonly workflowId?: string;
  readonly webhookPath: string;
  readonly description?: string;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  readonly timeoutMs?: number;
  readonly tier?: Tier;
  readonly mode?: 'sync' | 'async';
  readonly costUsd?: number;
  readonly permissions?: readonly string[];
  readonly asksFirst?: boolean;
}

export interface N8nSettings {
  readonly baseUrl: string;
  /** The keys of the secrets. */
  readonly apiKey?: string;
  readonly webhookSecret?: string;
  readonly workflows?: Readonly<Record<string, WorkflowSettings>>;
  readonly discover?: boolean;
  readonly shipped?: boolean;
  readonly testWebhooks?: boolean;
  readonly callbackUrl?: string;
  readonly maxWorkflows?: number;
  readonly retry?: RetrySettings;
}

/** Reads what only this kind has. */
export const ownSettings = ({ own }: ExternalSettings): N8nSettings => own as N8nSettings;

/** Returns an address without slashes at its end, so that a path can be added. */
export const withoutSlash = (address: string): string => {
  let end = address.length;
  while (end > 0 && address[end - 1] === '/') end -= 1;
  return address.slice(0, end);
};

/** Returns the host with its port, and whether it is on this machine. */
export const hostOf = ({ baseUrl }: N8nSettings): { readonly host: string; isLocal: boolean } => {
  const url = new URL(baseUrl);
  return { host: url.host, isLocal: isLoopback(url) };
};

const RETRYABLE: readonly ErrorCode[] = ['TIMEOUT', 'NETWORK', 'SERVER_ERROR', 'RATE_LIMITED'];

/** Turns the settings into a policy of the pipeline; `undefined` where nothing is sent again. */
export const retryPolicy = (retry: RetrySettings | undefined): RetryPolicy | undefined => {
  if (!retry) return undefined;
  const { maxAttempts = 3, initialDelayMs = 1_000, backoffMultiplier = 2 } = retry;
  const { maxDelayMs = 30_000, retryableErrors = RETRYABLE } = retry;
  const backoff = {
    type: 'exponential',
    baseDelay: initialDelayMs,
    maxDelay: maxDelayMs,
    multiplier: backoffMultiplier,
  } as const;
  return { maxRetries: maxAttempts - 1, backoff, retryableErrors };
};
