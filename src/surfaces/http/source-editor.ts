/** The port to the sources of tools beside MCP servers, as the configuration files have them. */
import type { RuleEffect } from '../../contract/policy.ts';
import type { RefusedTool } from '../../contract/sources.ts';
import type { Tier } from '../../contract/tool.ts';

export interface NewSourceRequest {
  readonly kind: string;
  /** An address or a path, as a person would type it behind `toolcrib add <kind>`. */
  readonly address: string;
  /** Made of the address when absent. */
  readonly name?: string | undefined;
}

export interface SourceKindView {
  readonly kind: string;
  readonly summary: string;
}

export interface ConfiguredSourceView {
  readonly name: string;
  readonly kind: string;
  readonly isOfProject: boolean;
}

/** What a source would add. */
export interface SourcePreviewView {
  readonly name: string;
  readonly kind: string;
  readonly location: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly tier: Tier;
    readonly rule: RuleEffect;
    readonly tokens: number;
  }[];
  readonly tokens: number;
  readonly refused: readonly RefusedTool[];
  readonly hosts: readonly string[];
  readonly secrets: readonly { readonly key: string; readonly isSet: boolean }[];
}

export interface SourceEdit {
  readonly source: string;
  /** What a person should know, without any value. */
  readonly notes: readonly string[];
}

/**
 * Every change goes through the checks of the command line, counts at once, and is put on record with
 * who made it. Fails with VALIDATION_ERROR, CONFLICT, NOT_FOUND, PERMISSION_DENIED, or the reason why
 * the source cannot be read.
 */
export interface SourceEditor {
  kinds(): readonly SourceKindView[];
  list(): Promise<readonly ConfiguredSourceView[]>;
  /** Reads the source in memory. Changes nothing. */
  preview(source: NewSourceRequest): Promise<SourcePreviewView>;
  add(source: NewSourceRequest, by: string): Promise<SourceEdit>;
  remove(name: string, by: string): Promise<SourceEdit>;
}
