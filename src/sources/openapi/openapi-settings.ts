/** What only sources of the kind `openapi` are configured with. */
import type { ExternalSettings } from '../../contract/source-driver.ts';

/** Lists of names with `*`; an operation has to match one entry of a list. */
export interface OperationFilter {
  readonly tags?: readonly string[];
  readonly paths?: readonly string[];
  readonly methods?: readonly string[];
  readonly operations?: readonly string[];
}

/** The credential of one security scheme. Secrets are given by their keys. */
export interface SchemeSettings {
  readonly secret?: string;
  readonly username?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
  readonly tokenUrl?: string;
  readonly authorizationUrl?: string;
  readonly redirectPort?: number;
  readonly login?: boolean;
  readonly type?: 'bearer' | 'basic' | 'header' | 'query' | 'cookie';
  readonly parameter?: string;
}

export interface OpenapiOptions {
  readonly document: string;
  readonly baseUrl?: string;
  readonly server?: number;
  readonly variables?: Readonly<Record<string, string>>;
  readonly hosts?: readonly string[];
  readonly auth?: Readonly<Record<string, SchemeSettings>>;
  readonly include?: OperationFilter;
  readonly exclude?: OperationFilter;
  readonly deprecated?: boolean;
  readonly responses?: 'fail' | 'warn' | 'off';
}

export const optionsOf = ({ own }: ExternalSettings): OpenapiOptions => own as OpenapiOptions;

const HTTP = /^https?:\/\//i;

/** Says whether the document is at an address. */
export const isAddress = (document: string): boolean => HTTP.test(document);

/** Says whether the setting is the text of the document itself; otherwise it says where that is. */
export const isInline = (document: string): boolean =>
  !isAddress(document) && /^\s*\{|\n/.test(document);

/** Stands for the place of a document that has none. What it refers to is looked for in the project. */
export const INLINE = '(inline)';
