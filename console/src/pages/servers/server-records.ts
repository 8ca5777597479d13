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
