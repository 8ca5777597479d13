import { describe, expect, it } from 'vitest';
import { ConfigError } from '../config-error.ts';
import { ANY_NAME, configFields, environmentName } from '../document/config-fields.ts';
import { configShape } from '../document/read-config-shape.ts';
import { environmentLayers } from './environment-layers.ts';
import { resolveLayers } from './resolve-layers.ts';

const read = (env: Record<string, string | undefined>) => {
  const shape = configShape();
  const { layers, problems } = environmentLayers(env, shape);
  const resolved = resolveLayers(layers, shape);
  return {
    config: resolved.config,
    problems: new ConfigError([...problems, ...resolved.problems]).problems.map(
      ({ file, path, message }) => `${file}: ${path}: ${message}`,
    ),
  };
};

describe('environmentLayers', () => {
  it('has one variable for every setting', () => {
    const names = configFields().map(({ path }) => environmentName(path));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain('TOOLCRIB_EXECUTION_MAX_CONCURRENT_TOOLS');
    expect(names).toContain('TOOLCRIB_TEAMS_ORG_ID');
    expect(names).toContain('TOOLCRIB_TOOLS__<name>__RATE_LIMIT_MAX_PER_HOUR');
  });

  it('maps every variable to its setting', () => {
    const shape = configShape();
    for (const { path } of configFields(shape)) {
      const variable = environmentName(path).replaceAll(ANY_NAME, 'some_name');
      const [layer] = environmentLayers({ [variable]: '1' }, shape).layers;
      const keys = path.map((key) => (key === ANY_NAME ? 'some_name' : key));
      expect(layer?.value, variable).toHaveProperty(keys);
    }
  });

  it('parses each type of value', () => {
    const { config, problems } = read({
      TOOLCRIB_EXECUTION_MAX_CONCURRENT_TOOLS: ' 8 ',
      TOOLCRIB_BUDGET_DAILY_USD: '0.5',
      TOOLCRIB_EXECUTION_BREAKER_ENABLED: 'off',
      TOOLCRIB_EXECUTION_CACHE_ENABLED: 'FALSE',
      TOOLCRIB_OBSERVATION_RAISE_ALERTS: 'yes',
      TOOLCRIB_OBSERVATION_LOG_LEVEL: 'debug',
      TOOLCRIB_STORE_PATH: ' a b ',
      TOOLCRIB_WORKSPACE_EXTRA_ROOTS: '/a, /b,',
      TOOLCRIB_FILTERING_REDACT_KEYS: '["a,b"]',
      TOOLCRIB_EXECUTION_RETRY: '{"maxRetries":1,"backoff":{"type":"none"}}',
    });
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      execution: {
        maxConcurrentTools: 8,
        breaker: { enabled: false },
        cache: { enabled: false },
        retry: { maxRetries: 1 },
      },
      budget: { dailyUsd: 0.5 },
      observation: { raiseAlerts: true, logLevel: 'debug' },
      store: { path: ' a b ' },
      workspace: { extraRoots: ['/a', '/b'] },
      filtering: { redactKeys: ['a,b'] },
    });
  });

  it('takes names between double underscores as they are', () => {
    const { config, problems } = read({
      TOOLCRIB_TOOLS__read_file__ENABLED: 'false',
      TOOLCRIB_TOOLS__mcp__git__log__TIMEOUT_MS: '5',
      'TOOLCRIB_TOOLS__file:write__CACHE': 'false',
      TOOLCRIB_TOOLS__git__CACHE: '{"ttlMs":9}',
      TOOLCRIB_BUDGET_PER_TOOL__web_search: '1',
      TOOLCRIB_BUDGET_PER_TOOL__git: '{"calls":5}',
      TOOLCRIB_EXECUTION_LOOP: 'off',
      TOOLCRIB_MCP_SERVERS__gh__COMMAND: 'gh-mcp',
      TOOLCRIB_MCP_SERVERS__gh__ARGS: '-a,-b',
      TOOLCRIB_MCP_SERVERS__gh__ENV__URL: 'https://x.test',
      TOOLCRIB_MCP_SERVERS__gh__ENV__COMMAND: 'c',
      TOOLCRIB_TOOLS_SHOW_TOKEN_COSTS: '0',
    });
    expect(problems).toEqual([]);
    expect(config?.tools).toMatchObject({
      showTokenCosts: false,
      read_file: { enabled: false },
      mcp__git__log: { timeoutMs: 5 },
      'file:write': { cache: false },
      git: { cache: { ttlMs: 9 } },
    });
    expect(config?.budget.perTool).toEqual({ web_search: 1, git: { calls: 5 } });
    expect(config?.execution.loop).toBe(false);
    expect(config?.mcp.servers).toEqual({
      gh: { command: 'gh-mcp', args: ['-a', '-b'], env: { URL: 'https://x.test', COMMAND: 'c' } },
    });
  });

  it('ignores variables that are empty, foreign, or no settings', () => {
    const env = { TOOLCRIB_STORE_DRIVER: '', TOOLCRIB_X: undefined, PATH: '/bin', TOOLCRIBX: '1' };
    const others = { TOOLCRIB_HOME: '/x', TOOLCRIB_CONFIG: '/y', TOOLCRIB_TRUST: '1' };
    const marked = { TOOLCRIB_SERVER_RUN: '123' };
    const { layers, problems } = environmentLayers({ ...env, ...others, ...marked }, configShape());
    expect([layers, problems]).toEqual([[], []]);
  });

  it.each([
    [
      'TOOLCRIB_EXECUTION_MAX_CONCURENT_TOOLS',
      '1',
      /: : sets nothing; did you mean TOOLCRIB_EXECUTION_MAX_CONCURRENT_TOOLS\?/,
    ],
    ['TOOLCRIB_TOOLS__read_file__ENABLD', '1', /did you mean TOOLCRIB_TOOLS__read_file__ENABLED\?/],
    ['TOOLCRIB_CONFG', 'x', /did you mean TOOLCRIB_CONFIG\?/],
    ['TOOLCRIB_SOMETHING_ELSE_ALTOGETHER', '1', /sets nothing$/],
    ['TOOLCRIB_EXECUTION_QUEUE_LIMIT', 'many', /execution\.queueLimit: expected a number$/],
    ['TOOLCRIB_EXECUTION_QUEUE_LIMIT', '0x10', /execution\.queueLimit: expected a number$/],
    ['TOOLCRIB_EXECUTION_QUEUE_LIMIT', '1.5', /execution\.queueLimit: expected a whole number$/],
    ['TOOLCRIB_EXECUTION_QUEUE_LIMIT', '-1', /execution\.queueLimit: must be at least 0$/],
    ['TOOLCRIB_MCP_ENABLED', 'maybe', /mcp\.enabled: expected true or false$/],
    ['TOOLCRIB_EXECUTION_RETRY', '{"maxRetries":', /starts like JSON/],
    ['TOOLCRIB_EXECUTION_RETRY', '{"__proto__":{"maxRetries":1}}', /starts like JSON/],
    ['TOOLCRIB_EXECUTION_RETRY', 'QUICKLY', /expected one of NONE, QUICK/],
    ['TOOLCRIB_FILTERING_REDACT_KEYS', '[1]', /filtering\.redactKeys\.0: expected text/],
    ['TOOLCRIB_TOOLS____proto____ENABLED', 'true', /holds a name that is not allowed/],
    ['TOOLCRIB_TOOLS__constructor__ENABLED', 'true', /holds a name that is not allowed/],
    ['TOOLCRIB_TOOLS__a b__ENABLED', 'true', /a tool name is/],
    ['TOOLCRIB_MODEL_API_KEY_REF', 'sk-hunter2', /looks like a key itself/],
  ])('reports %s=%s as a problem', (name, value, expected) => {
    const { problems } = read({ [name]: value });
    expect(problems.filter((problem) => expected.test(problem))).toHaveLength(1);
    expect(problems.every((problem) => problem.startsWith(`${name}: `))).toBe(true);
    expect(problems.join()).not.toContain('hunter2');
  });
});
