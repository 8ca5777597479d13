import { describe, expect, it } from 'vitest';
import { clientFiles, clientOfPath } from './client-files.ts';
import type { ImportContext } from './foreign-server.ts';
import { moveSecrets } from './move-secrets.ts';
import { readClientText } from './read-client-text.ts';

const around = (client: ImportContext['client']): ImportContext => ({
  client,
  home: '/home/ada',
  folder: '/project',
});
const secret = (key: string): string => `\${secret:${key}}`;
const input = (key: string): string => `\${input:${key}}`;

describe('servers of Codex', () => {
  const TEXT = `
model = "gpt-5"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]
env_vars = ["DOCS_KEY"]
tool_timeout_sec = 30
disabled_tools = ["remove", "wipe all"]
[mcp_servers.docs.env]
MODE = "fast"
[mcp_servers.figma]
url = "https://mcp.figma.example/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Team" = "FIGMA_TEAM" }
enabled = false
`;

  it('are read with commands, variables, headers, time limits and switches', () => {
    const { servers, refused, lists } = readClientText(TEXT, around('codex'));
    expect(refused).toEqual([]);
    expect(lists).toEqual([]);
    expect(servers.map(({ name, definition }) => [name, definition])).toEqual([
      [
        'docs',
        {
          command: 'npx',
          args: ['-y', 'docs-mcp'],
          env: { DOCS_KEY: secret('DOCS_KEY'), MODE: 'fast' },
          timeoutMs: 30_000,
        },
      ],
      [
        'figma',
        {
          url: 'https://mcp.figma.example/mcp',
          headers: {
            'X-Region': 'eu',
            'X-Team': secret('FIGMA_TEAM'),
            Authorization: `Bearer ${secret('FIGMA_TOKEN')}`,
          },
          enabled: false,
        },
      ],
    ]);
    expect(servers[0]?.notes.join()).toContain('leaves out remove, wipe?all');
  });

  it('threat: a text that is no TOML is refused with its line, and none of it is quoted', () => {
    expect(() => readClientText('a = 1\nkey-hunter2 hunter2', around('codex'))).toThrow(
      expect.objectContaining({ name: 'JsoncFault', message: 'line 2: is not TOML' }),
    );
    expect(readClientText('mcp_servers = 3', around('codex')).servers).toEqual([]);
    expect(readClientText('', around('codex')).servers).toEqual([]);
  });
});

it('servers of opencode are read: one list for the command, its own way of variables', () => {
  const mcp = {
    local: {
      type: 'local',
      command: ['bun', 'x', 'tool'],
      environment: { KEY: '{env:MY_KEY}' },
      enabled: false,
    },
    remote: {
      type: 'remote',
      url: 'https://mcp.example/mcp',
      headers: { Authorization: 'Bearer {env:TOKEN}' },
    },
    ours: { type: 'local', command: ['toolcrib', 'mcp'] },
    broken: { type: 'local', command: [7] },
  };
  const reading = readClientText(JSON.stringify({ mcp }), around('opencode'));
  expect(reading.isOurs).toBe(true);
  expect(reading.refused.map(({ foreignName }) => foreignName)).toEqual(['broken']);
  expect(reading.servers.map(({ definition }) => definition)).toEqual([
    { command: 'bun', args: ['x', 'tool'], env: { KEY: secret('MY_KEY') }, enabled: false },
    { url: 'https://mcp.example/mcp', headers: { Authorization: `Bearer ${secret('TOKEN')}` } },
  ]);
});

it('the files of Codex and opencode are looked for, and known by their paths', () => {
  const place = { cwd: '/project', env: {}, home: '/home/ada', platform: 'linux' as const };
  const files = clientFiles(place).map(({ file }) => file);
  expect(files).toContain('/home/ada/.codex/config.toml');
  expect(files).toContain('/home/ada/.config/opencode/opencode.json');
  expect(files).toContain('/project/opencode.json');
  expect(clientOfPath('/home/ada/.codex/config.toml')).toBe('codex');
  expect(clientOfPath('/project/opencode.jsonc')).toBe('opencode');
});

describe('values that mix text and variables', () => {
  const reading = (value: string, client: ImportContext['client'] = 'vscode') =>
    readClientText(
      JSON.stringify({ servers: { api: { url: 'https://a.example', headers: { Auth: value } } } }),
      around(client),
    );

  it('a bearer token that the editor asks for becomes a reference to a secret', () => {
    const { servers } = reading(`Bearer ${input('api-token')}`);
    const [server] = servers;
    expect(server?.definition.headers).toEqual({ Auth: `Bearer ${secret('MCP_API_API_TOKEN')}` });
    expect(server?.notes).toEqual(['set its secret: toolcrib secrets set MCP_API_API_TOKEN']);
    expect(server && moveSecrets(server).secrets).toEqual([]);
  });

  it('threat: a secret beside a variable, or a reference to a secret of ours, is not taken', () => {
    const hidden = `ghp_0123456789abcdefghijklmnopqrstuvwxyz${input('x')}`;
    expect(reading(hidden).servers).toEqual([]);
    expect(reading(`Bearer ${secret('OTHER')}`).servers).toEqual([]);
    expect(reading(`\${command:x}`).refused).toHaveLength(1);
  });
});

it('an import notes which tools the other program uses', () => {
  const mcpServers = {
    a: { command: 'a', includeTools: ['read'] },
    b: { command: 'b', disabledTools: Array.from({ length: 12 }, (_, n) => `t${n}`) },
    c: { command: 'c', disabledTools: [] },
  };
  const { servers } = readClientText(JSON.stringify({ mcpServers }), around('gemini'));
  expect(servers[0]?.notes.join()).toContain('uses only read;');
  expect(servers[1]?.notes.join()).toContain('leaves out t0, t1');
  expect(servers[1]?.notes.join()).toContain('and 2 more');
  expect(servers[2]?.notes).toEqual([]);
});
