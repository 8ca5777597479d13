/** The kinds of sources that `toolcrib add` knows. The file of a kind is loaded when it is needed. */
import type { AddInstaller, AddKind } from './add-kind.ts';

interface KindWords {
  readonly kind: string;
  /** Other words for it on the command line. */
  readonly aliases?: readonly string[];
  readonly summary: string;
}

/** A kind whose settings are in the configuration, below `sources`. */
export interface ConfiguredKind extends KindWords {
  load(): Promise<AddKind>;
}

/** A kind that keeps its own record. */
export interface InstalledKind extends KindWords {
  loadInstaller(): Promise<AddInstaller>;
}

export const ADD_KINDS: readonly ConfiguredKind[] = [
  {
    kind: 'openapi',
    summary: 'an API with an OpenAPI or Swagger document: each operation is a tool',
    load: async () => (await import('./add-openapi.ts')).addOpenapi as AddKind,
  },
  {
    kind: 'graphql',
    summary: 'a GraphQL service: each query and mutation is a tool',
    load: async () => (await import('./add-graphql.ts')).addGraphql as AddKind,
  },
  {
    kind: 'grpc',
    summary: 'a gRPC server: each method is a tool',
    load: async () => (await import('./add-grpc.ts')).addGrpc as AddKind,
  },
  {
    kind: 'websocket',
    aliases: ['ws'],
    summary: 'a WebSocket service that answers requests: each operation is a tool',
    load: async () => (await import('./add-websocket.ts')).addWebsocket as AddKind,
  },
  {
    kind: 'n8n',
    summary: 'n8n: each workflow with a webhook is a tool',
    load: async () => (await import('./add-n8n.ts')).addN8n as AddKind,
  },
];

export const INSTALLED_KINDS: readonly InstalledKind[] = [
  {
    kind: 'package',
    summary: 'a package of tools: npm, git, a folder, an address',
    loadInstaller: async () => (await import('./add-package.ts')).addPackage,
  },
  {
    kind: 'team',
    summary: 'the catalog of a team: reviewed tools and rules',
    loadInstaller: async () => (await import('./add-team.ts')).addTeam,
  },
];

/** Lists every word that can follow `toolcrib add`, besides an address. */
export const kindWords = (): readonly string[] => [
  'mcp',
  ...[...ADD_KINDS, ...INSTALLED_KINDS].map(({ kind }) => kind),
];

export const loadKind = (entry: ConfiguredKind | InstalledKind): Promise<AddKind | AddInstaller> =>
  'load' in entry ? entry.load() : entry.loadInstaller();
