/** The settings that only WebSocket sources have. */
import type { JsonSchema } from '../../contract/schema.ts';
import type { ExternalSettings } from '../../contract/source-driver.ts';
import type { Tier } from '../../contract/tool.ts';

export interface OperationSettings {
  readonly description: string;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  /** The message, as `message-template.ts` describes; the input itself when absent. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** The path of the result in the reply; all of the reply when absent. */
  readonly reply?: string;
  /** The path of an error in the reply: a reply that has something there is a failure. */
  readonly error?: string;
  readonly tier?: Tier;
}

export interface LoginSettings {
  readonly message: Readonly<Record<string, unknown>>;
  /** The path in a message of the service that tells whether it accepts the login. */
  readonly replyField?: string;
  /** What stands there when it does. */
  readonly replyValue?: string | number | boolean;
}

export interface WebsocketSettings {
  readonly url: string;
  readonly operations: Readonly<Record<string, OperationSettings>>;
  readonly correlation: { readonly field: string; readonly replyField: string };
  readonly login?: LoginSettings;
  readonly protocols?: readonly string[];
  readonly maxMessageBytes?: number;
  readonly heartbeatMs?: number;
  readonly idleMs?: number;
}

export const ownSettings = ({ own }: ExternalSettings): WebsocketSettings =>
  own as WebsocketSettings;
