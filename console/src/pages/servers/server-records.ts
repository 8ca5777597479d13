/** MCP servers as the HTTP API sends them. */
export interface ServerStatus {
  readonly name: string;
  readonly transport: string;
  readonly state: string;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  readonly restarts: number;
  readonly pid?: number;
  readonly protocol?: string;
  readonly lastError?: string;
  readonly latencyMs?: number;
  readonly startedAt?: number;
}

export const serverPath = (name: string, part: 'logs' | 'restart' | 'test'): string =>
  `/v1/servers/${encodeURIComponent(name)}/${part}`;

/** A server as the configuration has it. */
export interface ConfiguredServer {
  readonly name: string;
  readonly reach: string;
  readonly tier?: string;
  readonly isOfProject: boolean;
  /** A change that waits for the next start of the server. */
  readonly pending?: 'added' | 'changed' | 'removed';
}

export interface ServerConfig {
  readonly editable: boolean;
  readonly items: readonly ConfiguredServer[];
}

export interface ServerChange {
  readonly servers: readonly string[];
  readonly notes: readonly string[];
}

/** A server of another program, as it would be taken over. */
export interface ImportOffer {
  readonly name: string;
  readonly client?: string;
  readonly file: string;
  readonly outcome: 'new' | 'same' | 'refused';
  readonly reason?: string;
  readonly reach?: string;
  readonly secrets: readonly string[];
  readonly notes: readonly string[];
  readonly digest: string;
}
