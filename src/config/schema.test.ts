import { describe, expect, it } from 'vitest';
import { RetryPolicies } from '../contract/retry.ts';
import { ConfigError } from './config-error.ts';
import { toolSettingsOf } from './configured-tools.ts';
import { defaultSettings } from './default-settings.ts';
import { parseConfig } from './load/parse-config.ts';
import { defaultConfig } from './schema.ts';
import { retryPolicyOf } from './sections/calls/execution.ts';

/** The problems as `path: message`. */
const problemsOf = (value: unknown): readonly string[] => {
  try {
    parseConfig(value);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, message }) => `${path}: ${message}`);
  }
};

describe('the defaults', () => {
  it('are written down in code as they are; else run scripts/write-default-settings.mjs', () => {
    expect(defaultSettings()).toEqual(defaultConfig());
    expect(defaultSettings()).not.toBe(defaultSettings());
  });

  it('are what the documentation promises', () => {
    expect(defaultConfig()).toEqual({
      workspace: { root: '.', extraRoots: [] },
      tools: { showTokenCosts: true, autoLoadCustomTools: true, maxExecutionTime: 1_800_000 },
      execution: {
        maxConcurrentTools: 64,
        queueLimit: 1000,
        defaultToolTimeout: 30_000,
        maxCallDepth: 8,
        retry: 'NONE',
        breaker: { enabled: true, failures: 5, restMs: 30_000 },
        cache: { enabled: true, maxEntries: 1000 },
        loop: { identicalCalls: 10, windowSeconds: 60 },
        idempotencyHours: 24,
        undoDays: 30,
      },
      sandbox: {
        default: 'wasm',
        container: { image: 'node:22-slim' },
        vm: { image: 'node:22-slim' },
      },
      validation: { maxInputBytes: 1_000_000, maxDepth: 64, checkOutput: true, sanitize: 'flag' },
      filtering: {
        maxStringChars: 10_000,
        maxArrayItems: 100,
        maxResultBytes: 1_000_000,
        keepResultsDays: 30,
        redactKeys: [],
        shownKeys: [],
      },
      policy: { files: ['policy.yml'], shadow: false, flow: 'ask' },
      commands: { allow: [], tasks: [] },
      egress: { allowPrivate: [], maxResponseBytes: 50_000_000 },
      secrets: { sources: ['environment', 'file'], file: 'secrets.json' },
      services: {
        stripe: { baseUrl: 'https://api.stripe.com' },
        sendgrid: { baseUrl: 'https://api.sendgrid.com' },
        vercel: { baseUrl: 'https://api.vercel.com' },
        supabase: {},
        postgres: { hosts: [] },
        search: { provider: 'brave' },
        credentials: {},
      },
      budget: {
        dailyUsd: 10,
        perTool: {},
        starts: {
          runs: { perMinute: 300, perHour: 5_000 },
          jobs: { perMinute: 1_000, perHour: 20_000 },
          events: { perMinute: 600, perHour: 12_000 },
        },
      },
      audit: { syncEveryRecord: false, checkpoints: { every: 1000, minutes: 10 } },
      approvals: { expiresMinutes: 60 },
      jobs: {
        engine: 'sqlite',
        retries: 3,
        prefix: 'toolcrib',
        qstash: { api: 'https://qstash.upstash.io' },
        queues: {},
      },
      store: {
        driver: 'sqlite',
        path: '.toolcrib/state.db',
        schema: 'toolcrib',
        connections: 6,
      },
      registry: {
        path: '.toolcrib/tools',
        autoDiscovery: true,
        updateChecks: false,
        lock: 'strict',
      },
      mcp: { enabled: true, startTimeoutMs: 10_000, servers: {}, flows: ['*'] },
      sources: { openapi: {}, graphql: {}, grpc: {}, websocket: {}, n8n: {} },
      packages: {},
      server: {
        host: '127.0.0.1',
        port: 7420,
        allowedHosts: [],
        allowedOrigins: [],
        behindTls: false,
        console: true,
        openMetrics: false,
        drainMs: 20_000,
        maxBodyBytes: 1_048_576,
        maxConnections: 2048,
        catalog: {},
        oidc: { roleClaim: 'toolcrib_role' },
      },
      teams: {
        enabled: false,
        tokenKey: 'TEAM_CATALOG_TOKEN',
        secrets: [],
        acceptTools: false,
        syncMinutes: 15,
        features: { sharedTools: true },
      },
      enforcement: { disableLocalTools: false, enforcedTools: [] },
      observation: {
        metrics: true,
        healthIntervalMs: 60_000,
        historyDays: { minutes: 2, hours: 62, days: 1100 },
        measureRuns: true,
        reportErrors: false,
        traceHosts: [],
        alerts: {},
        raiseAlerts: true,
        alertIntervalMs: 10_000,
        logLevel: 'warn',
        logFormat: 'auto',
      },
      datetime: { zone: 'UTC' },
    });
  });

  it('are a fresh copy each time', () => {
    defaultConfig().filtering.redactKeys.push('evil');
    defaultConfig().mcp.servers.evil = { command: 'x' };
    expect(defaultConfig().filtering.redactKeys).toEqual([]);
    expect(defaultConfig().mcp.servers).toEqual({});
  });
});

describe('tools', () => {
  it('distinguishes settings of tools from global ones', () => {
    const { tools } = parseConfig({
      tools: { showTokenCosts: false, read_file: {}, 'file:write': { enabled: false } },
    });
    const shown: boolean = tools.showTokenCosts;
    expect(shown).toBe(false);
    expect(toolSettingsOf(tools, 'read_file')).toEqual({});
    expect(toolSettingsOf(tools, 'file:write')).toEqual({ enabled: false });
    expect(toolSettingsOf(tools, 'showTokenCosts')).toBeUndefined();
    expect(toolSettingsOf(tools, 'constructor')).toBeUndefined();
    expect(toolSettingsOf(tools, 'toString')).toBeUndefined();
  });

  it('accepts every setting of a tool', () => {
    const settings = {
      enabled: true,
      timeoutMs: 5,
      rateLimit: { maxPerHour: 1 },
      retry: { maxRetries: 2, backoff: { type: 'fixed', delay: 10 } },
      cache: { ttlMs: 1000 },
    };
    expect(parseConfig({ tools: { git: settings } }).tools.git).toEqual(settings);
    expect(parseConfig({ tools: { git: { cache: false } } }).tools.git?.cache).toBe(false);
  });

  it('refuses names that no tool can have, and other faults beside them', () => {
    expect(problemsOf({ tools: { 'a b': {}, maxExecutionTime: 0 } })).toEqual([
      'tools.maxExecutionTime: must be at least 1',
      expect.stringMatching(/^tools\.a b: a tool name is 1 to 128 letters/),
    ]);
  });

  it('suspects a misspelt global setting behind a tool that is no mapping', () => {
    expect(problemsOf({ tools: { showTokenCost: false } })).toEqual([
      'tools.showTokenCost: expected a mapping, got true or false; did you mean showTokenCosts?',
    ]);
    expect(problemsOf({ tools: { read_file: false } })).toEqual([
      'tools.read_file: expected a mapping, got true or false',
    ]);
  });
});

describe('budgets', () => {
  it('takes dollars or several limits for a tool, and limits for each kind of spender', () => {
    const budget = {
      dailyUsd: 1,
      dailyCalls: 2,
      dailyTokens: 3,
      perTool: { git: 0, npm: { usd: 0.5, calls: 2, tokens: 9 } },
      perAgent: { usd: 1 },
      perSession: { calls: 1 },
      perFlow: { tokens: 1 },
    };
    expect(parseConfig({ budget }).budget).toMatchObject(budget);
  });
});

describe('the loop breaker', () => {
  it('can be set in part, and switched off', () => {
    const loopOf = (loop: unknown) => parseConfig({ execution: { loop } }).execution.loop;
    expect(loopOf({ identicalCalls: 3 })).toEqual({ identicalCalls: 3, windowSeconds: 60 });
    expect(loopOf(false)).toBe(false);
  });
});

describe('messages of the configuration', () => {
  it.each([
    [{ exekution: {} }, 'exekution: unknown key; did you mean execution?'],
    [
      { execution: { max_concurrent_tool: 1 } },
      'execution.max_concurrent_tool: unknown key; did you mean maxConcurrentTools?',
    ],
    [
      { maxConcurrentTools: 1 },
      'maxConcurrentTools: unknown key here; did you mean execution.maxConcurrentTools?',
    ],
    [{ sandbox: { qqqqqqq: 1 } }, 'sandbox.qqqqqqq: unknown key; known are default, container, vm'],
    [{ sandbox: { container: { image: '--all' } } }, /^sandbox.container.image: .*node:22-slim/],
    [
      { sandbox: { container: { socket: 'tcp://1.2.3.4' } } },
      /^sandbox.container.socket: .*absolute/,
    ],
    [{ sandbox: { vm: { runtime: '../runc' } } }, /^sandbox.vm.runtime: .*runsc/],
    [{ execution: { queueLimit: '5' } }, 'execution.queueLimit: expected a number, got text'],
    [{ execution: { queueLimit: 1.5 } }, 'execution.queueLimit: expected a whole number'],
    [{ execution: { queueLimit: null } }, 'execution.queueLimit: expected a number, got nothing'],
    [{ execution: [] }, 'execution: expected a mapping, got a list'],
    [{ validation: { maxDepth: 0 } }, 'validation.maxDepth: must be at least 1'],
    [{ approvals: { expiresMinutes: 0 } }, 'approvals.expiresMinutes: must be more than 0'],
    [
      { execution: { defaultToolTimeout: 1e12 } },
      'execution.defaultToolTimeout: must be at most 2147483647',
    ],
    [{ store: { path: '' } }, 'store.path: must not be empty'],
    [
      { store: { url: 'mysql://u:hunter2@h/d' } },
      'store.url: expected postgres://user@host:5432/database, or a secret that holds it',
    ],
    [
      { sandbox: { default: 'wasn' } },
      'sandbox.default: expected one of wasm, process, container, vm, worker; did you mean wasm?',
    ],
    [
      { workspace: { extraRoots: ['a', 1] } },
      'workspace.extraRoots.1: expected text, got a number',
    ],
    [{ budget: { perTool: { 'a b': 1 } } }, /^budget\.perTool\.a b: a tool name is/],
    [{ budget: { perTool: { git: 'x' } } }, 'budget.perTool.git: expected a number, or a mapping'],
    [{ budget: { perTool: { git: { usd: -1 } } } }, 'budget.perTool.git.usd: must be at least 0'],
    [{ budget: { perAgent: { calls: 0 } } }, 'budget.perAgent.calls: must be at least 1'],
    [{ budget: { dailyTokens: 1.5 } }, 'budget.dailyTokens: expected a whole number'],
    [{ execution: { loop: true } }, 'execution.loop: expected a mapping, or false'],
    [
      { execution: { loop: { windowSeconds: 1e6 } } },
      'execution.loop.windowSeconds: must be at most 86400',
    ],
    [{ policy: { flow: 'never' } }, 'policy.flow: expected one of ask, deny, off'],
    [{ policy: { files: ['a', ''] } }, 'policy.files.1: must not be empty'],
    [{ secrets: { sources: ['enviroment'] } }, /^secrets\.sources\.0: expected one of .*mean env/],
    [{ egress: { allowPrivate: ['a b'] } }, /^egress\.allowPrivate\.0: expected a host name/],
    [{ egress: { maxResponseBytes: 0 } }, 'egress.maxResponseBytes: must be at least 1'],
    [{ commands: { allow: ['git\nrm'] } }, /^commands\.allow\.0: expected a command such as/],
    [{ commands: { allow: ['  '] } }, /^commands\.allow\.0: expected a command such as/],
    [
      { commands: { allow: ['vitest*'] } },
      /^commands\.allow\.0: expected the whole name of a prog/,
    ],
    [{ commands: { allow: ['* run'] } }, /^commands\.allow\.0: .* "vitest \*\*"/],
    [{ audit: { retentionDays: 0 } }, 'audit.retentionDays: must be at least 1'],
    [
      { audit: { checkpoints: { to: 'notes.jsonl' } } },
      /^audit\.checkpoints\.to: expected an absolu/,
    ],
    [
      { audit: { checkpoints: { to: 'sqlite:notes.db' } } },
      /^audit\.checkpoints\.to: expected an absolu/,
    ],
    [
      { audit: { checkpoints: { to: '/mnt/notes.jsonl', secret: 'TOKEN' } } },
      /^audit\.checkpoints: "secret" needs an https address/,
    ],
    [
      { audit: { checkpoints: { to: 'http://notes.example.com/', secret: 'TOKEN' } } },
      /^audit\.checkpoints: "secret" is sent over https only/,
    ],
    [{ audit: { checkpoints: { every: 0 } } }, 'audit.checkpoints.every: must be at least 1'],
    [
      { approvals: { linkBaseUrl: 'https://u:p@x' } },
      /^approvals\.linkBaseUrl: expected an address/,
    ],
    [{ validation: { sanitize: 'strip' } }, 'validation.sanitize: expected one of flag, off'],
    [{ budget: { dailyUsd: -1 } }, 'budget.dailyUsd: must be at least 0'],
    [{ budget: { dailyUsd: Number.POSITIVE_INFINITY } }, /^budget\.dailyUsd: expected a number/],
    [
      { execution: { retry: 'QUIK' } },
      'execution.retry: expected one of NONE, QUICK, STANDARD, AGGRESSIVE, or a mapping; did you mean QUICK?',
    ],
    [{ execution: { retry: { maxRetrys: 1, maxRetries: 1 } } }, /maxRetrys: unknown key/],
    [{ execution: { retry: {} } }, 'execution.retry.maxRetries: is required (a number)'],
    [
      { execution: { retry: { maxRetries: 1, backoff: { type: 'fixd' } } } },
      'execution.retry.backoff.type: expected one of none, fixed, linear, exponential, jittered; did you mean fixed?',
    ],
    [
      { execution: { retry: { maxRetries: 1, backoff: { type: 'fixed', delay: -1 } } } },
      'execution.retry.backoff.delay: must be at least 0',
    ],
    [{ tools: { x: { cache: true } } }, 'tools.x.cache: expected a mapping, or false'],
    [{ datetime: { zone: 'Mars/Olympus' } }, /^datetime\.zone: expected the name of an IANA/],
    [{ datetime: { zone: '+02:00' } }, /^datetime\.zone: expected the name of an IANA/],
    [{ teams: { enabled: true } }, /^teams: is enabled but has no "url"/],
    ['tools', ': expected a mapping of sections'],
    [
      JSON.parse('{"tools":{"__proto__":{"enabled":false}}}'),
      'tools.__proto__: this key is not allowed',
    ],
  ])('names the fault of %j', (value, expected) => {
    expect(problemsOf(value)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });

  it('reports every fault at once', () => {
    expect(problemsOf({ a: 1, store: { driver: 'x' }, mcp: { enabled: 1 } })).toHaveLength(3);
  });

  it('never contain a value', () => {
    const secret = 'hunter2-hunter2';
    const found = problemsOf({
      store: { driver: secret, path: 5 },
      execution: { retry: secret },
      datetime: { zone: secret },
      teams: { url: `https://u:${secret}@host` },
      model: { provider: secret, model: 1, apiKeyRef: `${secret} ${secret}` },
      mcp: { servers: { a: { command: 'x', env: { A: { b: secret } } } } },
    });
    expect(found.length).toBeGreaterThanOrEqual(8);
    expect(found.join('\n')).not.toContain('hunter2');
  });
});

describe('mcp servers', () => {
  const faults = (server: object) => problemsOf({ mcp: { servers: { git: server } } });

  it('accepts a command or a url', () => {
    expect(faults({ command: 'npx', args: ['-y', 'x'], env: { A: 'b' } })).toEqual([]);
    expect(faults({ url: 'https://example.com/mcp', transport: 'sse' })).toEqual([]);
    expect(faults({ url: 'ws://127.0.0.1:1', transport: 'websocket' })).toEqual([]);
  });

  it.each([
    [{}, /^mcp\.servers\.git: say how to reach the server: "command".*or "url"/],
    [{ command: 'x', url: 'https://x.test' }, /has both "command" and "url"/],
    [{ command: 'x', transport: 'http' }, /transport http needs "url"/],
    [{ url: 'https://x.test', transport: 'stdio' }, /transport stdio needs "command"/],
    [{ url: 'file:///etc/passwd' }, /git\.url: expected an address that starts with http:\/\//],
    [{ url: 'https://me:secret@x.test' }, /holds no user name or password/],
    [{ command: 'x', env: { 'A=B': 'c' } }, /env\.A=B: a variable name/],
  ])('refuses the server %j', (server, expected) => {
    expect(faults(server)).toEqual([expect.stringMatching(expected)]);
  });

  it('says that nothing reaches the server although another key is wrong too', () => {
    expect(faults({ timeoutMs: 'x' })).toHaveLength(2);
  });
});

describe('model', () => {
  const faults = (apiKeyRef: string) =>
    problemsOf({ model: { provider: 'anthropic', model: 'claude', apiKeyRef } });

  it.each(['OPENAI_API_KEY', 'anthropic.key', 'my-key', 'A_RATHER_LONG_NAME_FOR_A_SECRET_KEY_1'])(
    'takes the name %s',
    (name) => {
      expect(faults(name)).toEqual([]);
    },
  );

  it.each([
    'sk-abc123',
    'sk_live_abc',
    'ghp_0123456789',
    'AKIAIOSFODNN7EXAMPLE',
    'eyJhbGciOiJIUzI1NiJ9',
    '0123456789abcdef0123456789abcdef',
    'aB3dE6gH9jK2mN5pQ8sT1vW4',
    'x'.repeat(65),
  ])('refuses the key %s and says what to do', (key) => {
    expect(faults(key)).toEqual([expect.stringMatching(/looks like a key itself.*write its name/)]);
  });

  it('asks for what is missing', () => {
    expect(problemsOf({ model: {} })).toEqual([
      'model.provider: is required (one of openai-compatible, anthropic)',
      'model.model: is required (text)',
    ]);
  });
});

describe('datetime', () => {
  it.each(['UTC', 'local', 'Europe/Vienna', 'America/Argentina/Buenos_Aires'])(
    'accepts the zone %s',
    (zone) => {
      expect(parseConfig({ datetime: { zone } }).datetime.zone).toBe(zone);
    },
  );
});

describe('retryPolicyOf', () => {
  it('gives the preset of a name and a policy as it is', () => {
    expect(retryPolicyOf('STANDARD')).toBe(RetryPolicies.STANDARD);
    const { retry } = parseConfig({ execution: { retry: { maxRetries: 1 } } }).execution;
    expect(retryPolicyOf(retry)).toEqual({
      maxRetries: 1,
      backoff: RetryPolicies.STANDARD.backoff,
    });
  });
});
