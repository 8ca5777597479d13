/** Where the resources and prompts of a surface come from: one catalog for each source. */
import type { Caller } from '../../../contract/caller.ts';
import type {
  PromptText,
  ResourceText,
  ServerPrompt,
  ServerResource,
  ServerTemplate,
} from '../../../contract/servers.ts';
import type { ClientLink } from '../client-link.ts';

export type ListedResource = Omit<ServerResource, 'server'>;

export type ListedTemplate = Omit<ServerTemplate, 'server'>;

export interface ResourceCatalog {
  /** Names the catalog in the log. */
  readonly label: string;
  /** Lists the resources. A failure leaves this catalog out; the others are still listed. */
  list(caller: Partial<Caller>): Promise<readonly ListedResource[]>;
  templates?(
    caller: Partial<Caller>,
  ): readonly ListedTemplate[] | Promise<readonly ListedTemplate[]>;
  /**
   * Gives values for a variable of a template that start with what was typed; nothing for foreign
   * templates.
   */
  complete?(
    asked: {
      readonly template: string;
      readonly argument: string;
      readonly typed: string;
      readonly given?: Readonly<Record<string, string>>;
    },
    caller: Partial<Caller>,
  ): Promise<readonly string[] | undefined>;
  /**
   * Calls back when this resource changed; returns how to stop, or nothing for foreign resources. Rejects
   * for a caller that may not subscribe to it.
   */
  subscribe?(
    uri: string,
    changed: () => void,
    caller: Partial<Caller>,
  ): Promise<(() => void) | undefined>;
  /** Calls back when what is listed may have changed; returns how to stop. */
  watch?(changed: () => void): () => void;
  /** Reads a resource; `undefined` for one that is not in this catalog, or not this caller's. */
  read(uri: string, caller: Partial<Caller>): Promise<readonly ResourceText[] | undefined>;
}

export type ListedPrompt = Omit<ServerPrompt, 'server'>;

export interface PromptAsked {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

export interface PromptCatalog {
  readonly label: string;
  list(caller: Partial<Caller>): Promise<readonly ListedPrompt[]>;
  /**
   * Fills a prompt in. `link` leads back to the client, for prompts that have to ask it something
   * first.
   */
  get(
    asked: PromptAsked,
    caller: Partial<Caller>,
    link: ClientLink,
  ): Promise<PromptText | undefined>;
  /** Calls back when what is listed may have changed; returns how to stop. */
  watch?(changed: () => void): () => void;
  /** Gives values for an argument of a prompt that start with what was typed. */
  complete?(
    asked: {
      readonly prompt: string;
      readonly argument: string;
      readonly typed: string;
      readonly given?: Readonly<Record<string, string>>;
    },
    caller: Partial<Caller>,
  ): Promise<readonly string[] | undefined>;
}
