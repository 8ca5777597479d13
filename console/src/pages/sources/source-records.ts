/** Sources of tools beside MCP servers, as the HTTP API sends them. */
export interface RefusedOperation {
  readonly name: string;
  readonly reason: string;
}

export interface SourceStatus {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly location: string;
  readonly tools: number;
  readonly refused: readonly RefusedOperation[];
  readonly readAt?: number;
  readonly lastError?: string;
  /** The organisation whose catalog it comes from. */
  readonly team?: string;
}

/** Words that the tools of a source, and hardly others, are found by: their tags. */
export const toolWords = ({ kind, name, team }: Pick<SourceStatus, 'kind' | 'name' | 'team'>) =>
  `${kind} ${kind === 'team' ? (team ?? name) : name}`;

export interface SourceChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface SourceConfig {
  readonly editable: boolean;
  readonly kinds: readonly { readonly kind: string; readonly summary: string }[];
  readonly items: readonly {
    readonly name: string;
    readonly kind: string;
    readonly isOfProject: boolean;
  }[];
}

export interface SourcePreview {
  readonly name: string;
  readonly kind: string;
  readonly location: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly tier: string;
    readonly rule: string;
    readonly tokens: number;
  }[];
  readonly tokens: number;
  readonly refused: readonly RefusedOperation[];
  readonly hosts: readonly string[];
  readonly secrets: readonly { readonly key: string; readonly isSet: boolean }[];
}

export const sourcePath = (name: string, part = ''): string =>
  `/v1/sources/${encodeURIComponent(name)}${part}`;
