/** What holds when nothing is configured. Written by scripts/write-default-settings.mjs. */
import type { Config } from './schema.ts';

const DEFAULTS = {
  workspace: {
    root: '.',
    extraRoots: [],
  },
  tools: {
    showTokenCosts: true,
    autoLoadCustomTools: true,
    maxExecutionTime: 1800000,
  },
  execution: {
    maxConcurrentTools: 64,
    queueLimit: 1000,
    defaultToolTimeout: 30000,
    maxCallDepth: 8,
    retry: 'NONE',
    breaker: {
      enabled: true,
      failures: 5,
      restMs: 30000,
    },
    cache: {
      enabled: true,
      maxEntries: 1000,
    },
    loop: {
      identicalCalls: 10,
      windowSeconds: 60,
    },
    idempotencyHours: 24,
    undoDays: 30,
  },
  sandbox: {
    default: 'wasm',
    container: {
      image: 'node:22-slim',
    },
    vm: {
      image: 'node:22-slim',
    },
  },
  validation: {
    maxInputBytes: 1000000,
    maxDepth: 64,
    checkOutput: true,
    sanitize: 'flag',
  },
  filtering: {
    maxStringChars: 10000,
    maxArrayItems: 100,
    maxResultBytes: 1000000,
    keepResultsDays: 30,
    redactKeys: [],
    shownKeys: [],
  },
  policy: {
    files: ['policy.yml'],
    shadow: false,
    flow: 'ask',
  },
  commands: {
    allow: [],
    tasks: [],
  },
  egress: {
    allowPrivate: [],
    maxResponseBytes: 50000000,
  },
  secrets: {
    sources: ['environment', 'file'],
    file: 'secrets.json',
  },
  services: {
    stripe: {
      baseUrl: 'https://api.stripe.com',
    },
    sendgrid: {
      baseUrl: 'https://api.sendgrid.com',
    },
    vercel: {
      baseUrl: 'https://api.vercel.com',
    },
    supabase: {},
    postgres: {
      hosts: [],
    },
    search: {
      provider: 'brave',
    },
    credentials: {},
  },
  budget: {
    dailyUsd: 10,
    perTool: {},
    starts: {
      runs: {
        perMinute: 300,
        perHour: 5000,
      },
      jobs: {
        perMinute: 1000,
        perHour: 20000,
      },
      events: {
        perMinute: 600,
        perHour: 12000,
      },
    },
  },
  approvals: {
    expiresMinutes: 60,
  },
  audit: {
    syncEveryRecord: false,
    checkpoints: {
      every: 1000,
      minutes: 10,
    },
  },
  store: {
    driver: 'sqlite',
    path: '.toolcrib/state.db',
    schema: 'toolcrib',
    connections: 6,
  },
  jobs: {
    engine: 'sqlite',
    prefix: 'toolcrib',
    qstash: {
      api: 'https://qstash.upstash.io',
    },
    retries: 3,
    queues: {},
  },
  registry: {
    path: '.toolcrib/tools',
    autoDiscovery: true,
    updateChecks: false,
    lock: 'strict',
  },
  mcp: {
    enabled: true,
    startTimeoutMs: 10000,
    servers: {},
    flows: ['*'],
  },
  sources: {
    openapi: {},
    graphql: {},
    grpc: {},
    websocket: {},
    n8n: {},
  },
  packages: {},
  server: {
    host: '127.0.0.1',
    port: 7420,
    allowedHosts: [],
    allowedOrigins: [],
    behindTls: false,
    console: true,
    openMetrics: false,
    drainMs: 20000,
    maxBodyBytes: 1048576,
    maxConnections: 2048,
    catalog: {},
    oidc: {
      roleClaim: 'toolcrib_role',
    },
  },
  teams: {
    enabled: false,
    tokenKey: 'TEAM_CATALOG_TOKEN',
    secrets: [],
    acceptTools: false,
    syncMinutes: 15,
    features: {
      sharedTools: true,
    },
  },
  enforcement: {
    disableLocalTools: false,
    enforcedTools: [],
  },
  observation: {
    metrics: true,
    historyDays: {
      minutes: 2,
      hours: 62,
      days: 1100,
    },
    measureRuns: true,
    reportErrors: false,
    traceHosts: [],
    healthIntervalMs: 60000,
    alerts: {},
    raiseAlerts: true,
    alertIntervalMs: 10000,
    logLevel: 'warn',
    logFormat: 'auto',
  },
  datetime: {
    zone: 'UTC',
  },
};

/** Makes a new copy of the defaults. */
export const defaultSettings = (): Config => structuredClone(DEFAULTS) as unknown as Config;
