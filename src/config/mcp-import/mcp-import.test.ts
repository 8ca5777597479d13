import { describe, expect, it } from 'vitest';
import { clientFiles, clientOfPath } from './client-files.ts';
import type { ImportContext } from './foreign-server.ts';
import { argumentLooksSecret, looksSecret } from './looks-secret.ts';
import { moveSecrets } from './move-secrets.ts';
import { readClientText } from './read-client-text.ts';
import { rewriteClientText } from './rewrite-client-text.ts';

const around: ImportContext = { client: 'cursor', home: '/home/ada', folder: '/home/ada/p' };

const read = (data: unknown, client: ImportContext['client'] = 'cursor') =>
  readClientText(JSON.stringify(data), { ...around, client });

describe('the files of other programs', () => {
  it.each([
    ['linux', {}, '/home/ada/.config/Claude/claude_desktop_config.json'],
    ['darwin', {}, '/home/ada/Library/Application Support/Claude/claude_desktop_config.json'],
    ['win32', { APPDATA: '/roaming' }, '/roaming/Claude/claude_desktop_config.json'],
  ] as const)('are looked for where %s keeps them', (platform, env, claude) => {
    const files = clientFiles({ cwd: '/home/ada/p', env, home: '/home/ada', platform });
    const paths = files.map(({ file }) => file.replaceAll('\\', '/'));
    expect(paths).toContain(claude);
    expect(paths).toContain('/home/ada/.claude.json');
    expect(paths).toContain('/home/ada/p/.mcp.json');
    expect(new Set(paths).size).toBe(paths.length);
    expect(files.filter(({ isProject }) => isProject).map(({ client }) => client)).toEqual([
      'claude-code',
      'cursor',
      'vscode',
      'gemini',
      'zed',
      'codex',
      'opencode',
      'opencode',
    ]);
    for (const { client, file } of files) expect(clientOfPath(file)).toBe(client);
  });

  it('count as the user’s, not as the project’s, when the folder is the home directory', () => {
    const place = { cwd: '/home/ada', env: {}, home: '/home/ada', platform: 'linux' } as const;
    const cursor = clientFiles(place).filter(({ client }) => client === 'cursor');
    expect(cursor).toEqual([
      { client: 'cursor', file: '/home/ada/.cursor/mcp.json', isProject: false },
    ]);
  });
});

describe('what another program calls a server', () => {
  it.each([
    [
      'cursor',
      { mcpServers: { a: { command: 'npx', args: ['-y', 'x'], env: { A: 1 } } } },
      { command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
    ],
    ['vscode', { servers: { a: { type: 'stdio', command: 'x' } } }, { command: 'x' }],
    [
      'vscode',
      { mcp: { servers: { a: { type: 'sse', url: 'https://x/y' } } } },
      { url: 'https://x/y', transport: 'sse' },
    ],
    ['windsurf', { mcpServers: { a: { serverUrl: 'https://x/y' } } }, { url: 'https://x/y' }],
    [
      'windsurf',
      { mcpServers: { a: { command: 'x', disabled: true } } },
      { command: 'x', enabled: false },
    ],
    [
      'gemini',
      { mcpServers: { a: { httpUrl: 'https://x/y', timeout: 5000 } } },
      { url: 'https://x/y', timeoutMs: 5000 },
    ],
    [
      'gemini',
      { mcpServers: { a: { url: 'https://x/y' } } },
      { url: 'https://x/y', transport: 'sse' },
    ],
    [
      'zed',
      { context_servers: { a: { source: 'custom', command: 'x', args: ['y'] } } },
      { command: 'x', args: ['y'] },
    ],
    [
      'zed',
      { context_servers: { a: { command: { path: 'x', args: ['y'], env: { B: 'c' } } } } },
      { command: 'x', args: ['y'], env: { B: 'c' } },
    ],
    [
      'claude-code',
      {
        projects: {
          '/home/ada/p': { mcpServers: { a: { command: 'x' } } },
          '/other': { mcpServers: { b: { command: 'no' } } },
        },
      },
      { command: 'x' },
    ],
    [
      'claude-code',
      { mcpServers: { a: { type: 'http', url: 'https://x/y', headers: { 'X-Team': 'core' } } } },
      { url: 'https://x/y', transport: 'http', headers: { 'X-Team': 'core' } },
    ],
    [
      'cursor',
      { mcpServers: { a: { command: '${workspaceFolder}/bin', args: ['${userHome}/x'] } } },
      { command: '/home/ada/p/bin', args: ['/home/ada/x'] },
    ],
    [undefined, { mcpServers: { a: { command: 'x', cwd: '/y' } } }, { command: 'x', cwd: '/y' }],
  ] as const)('translates the entry of %s: %j', (client, file, definition) => {
    const { servers, refused } = read(file, client);
    expect(refused).toEqual([]);
    expect(servers.map((server) => server.definition)).toEqual([definition]);
  });

  it('variables of an environment become references to secrets', () => {
    const env = { A: '${env:TOKEN_A}', B: '${TOKEN_B:-x}', C: '${input:git-key}', D: '$TOKEN_D' };
    const [server] = read({ mcpServers: { git: { command: 'x', env } } }).servers;
    expect(server?.definition.env).toEqual({
      A: '${secret:TOKEN_A}',
      B: '${secret:TOKEN_B}',
      C: '${secret:MCP_GIT_GIT_KEY}',
      D: '${secret:TOKEN_D}',
    });
    expect(server?.notes).toContain('set its secret: toolcrib secrets set MCP_GIT_GIT_KEY');
  });

  it('a name that our configuration does not allow is changed, and that is said', () => {
    const [server] = read({ mcpServers: { 'My Server (old)': { command: 'x' } } }).servers;
    expect(server).toMatchObject({ name: 'My-Server-old', foreignName: 'My Server (old)' });
    expect(server?.notes).toEqual(['is called My-Server-old here']);
  });

  it('permissions of the other program are not imported', () => {
    const [server] = read({ mcpServers: { a: { command: 'x', alwaysAllow: ['rm'] } } }).servers;
    expect(server?.definition).toEqual({ command: 'x' });
    expect(server?.notes).toEqual([expect.stringContaining('your rules decide')]);
  });

  it.each([
    [{ args: [] }, 'no command or url'],
    [{ command: 5 }, 'no text'],
    [{ command: 'x', args: 'y' }, 'list of texts'],
    [{ command: 'x', env: { A: {} } }, 'no text'],
    [{ command: 'x', args: ['${input:secret-canary}'] }, 'variable outside'],
    [{ command: 'x', env: { A: 'pre-${command:canary}' } }, 'mixes text and variables'],
    ['text', 'no object'],
    [null, 'no object'],
  ])('%j is left out, with a reason that quotes nothing', (entry, reason) => {
    const { servers, refused } = read({ mcpServers: { a: entry, b: { command: 'ok' } } });
    expect(servers.map(({ name }) => name)).toEqual(['b']);
    expect(refused).toEqual([{ foreignName: 'a', reason: expect.stringContaining(reason) }]);
    expect(refused[0]?.reason).not.toContain('canary');
  });

  it('Toolcrib itself is not imported', () => {
    const launch = {
      command: '/usr/bin/node',
      args: ['/opt/lib/toolcrib/dist/cli/main.js', 'mcp'],
    };
    const { servers, isOurs } = read({ mcpServers: { tools: launch } });
    expect(servers).toEqual([]);
    expect(isOurs).toBe(true);
  });

  it('threat: prototype keys are plain names', () => {
    const text = '{"mcpServers": {"__proto__": {"command": "x"}, "constructor": {"command": "y"}}}';
    const { servers } = readClientText(text, around);
    expect(servers.map(({ name }) => name)).toEqual(['proto__', 'constructor']);
  });
});

describe('credentials', () => {
  it.each([
    ['GITHUB_TOKEN', 'abc'],
    ['OPENAI_API_KEY', 'x'],
    ['DB_PASSWORD', 'hunter2'],
    ['PAT', 'x1'],
    ['Authorization', 'Bearer abc'],
    ['ANY', 'ghp_0123456789'],
    ['ANY', 'postgres://u:p@host/db'],
    ['ANY', 'a1b2c3d4e5f6a7b8c9d0e1f2'],
  ])('%s=%s looks like a credential', (name, value) => expect(looksSecret(name, value)).toBe(true));

  it.each([
    ['LOG_LEVEL', 'debug'],
    ['PORT', '8080'],
    ['MAX_TOKENS', '4096'],
    ['TOKEN', '${secret:TOKEN}'],
    ['KEY', ''],
    ['ROOT', '/home/ada/projects/2024/a-long-name-of-a-folder'],
    ['URL', 'https://example.com/path'],
    ['MONKEY', 'banana'],
  ])('%s=%s does not look like a credential', (name, value) => {
    const expected = name === 'MONKEY';
    expect(looksSecret(name, value)).toBe(expected);
  });

  it('are reported and kept in arguments and addresses', () => {
    const url = 'https://x/mcp?api_key=url-canary';
    expect(argumentLooksSecret('--api-key=canary', undefined)).toBe(true);
    expect(argumentLooksSecret('canary', '--token')).toBe(true);
    expect(argumentLooksSecret('--verbose', '--token')).toBe(false);
    const base = { name: 'a', foreignName: 'a', notes: [] };
    expect(moveSecrets({ ...base, definition: { url } }).stuck).toEqual(['the address']);
    const definition = { command: 'x', args: ['-y', '--token', 'arg-canary'] };
    expect(moveSecrets({ ...base, definition }).stuck).toEqual(['argument 3']);
  });

  it('become references to secrets in variables and headers', () => {
    const definition = { url: 'https://x', headers: { Authorization: 'Bearer c', 'X-A': 'b' } };
    const moved = moveSecrets({ name: 'my-x', foreignName: 'x', notes: [], definition });
    expect(moved.definition.headers).toEqual({
      Authorization: '${secret:MCP_MY_X_AUTHORIZATION}',
      'X-A': 'b',
    });
    expect(moved.secrets).toEqual([
      { key: 'MCP_MY_X_AUTHORIZATION', from: 'headers.Authorization', value: 'Bearer c' },
    ]);
  });
});

describe('rewriting', () => {
  const launch = { command: '/n', args: ['/t', 'mcp'] };
  const TEXT = `{
  // mine
  "theme": "dark",
  "mcpServers": {
    "a": { "command": "x" }, // gone
    "b": { "cmd": 1 }
  },
  "other": [1,2],
}
`;

  it('leaves one entry and those that cannot be imported; the rest of the file stays', () => {
    const { lists } = readClientText(TEXT, around);
    const stays = (name: string): boolean => name === 'b';
    expect(rewriteClientText(TEXT, { lists, client: 'cursor', launch, stays })).toBe(`{
  // mine
  "theme": "dark",
  "mcpServers": {
    "toolcrib": {"command":"/n","args":["/t","mcp"]},
    "b": { "cmd": 1 }
  },
  "other": [1,2],
}
`);
  });

  it('empties the list of a folder when there are two', () => {
    const data = {
      mcpServers: {},
      projects: { '/home/ada/p': { mcpServers: { a: { command: 'x' } } } },
    };
    const text = JSON.stringify(data);
    const { lists } = readClientText(text, { ...around, client: 'claude-code' });
    const after = rewriteClientText(text, {
      lists,
      client: 'claude-code',
      launch,
      stays: () => false,
    });
    expect(JSON.parse(after)).toEqual({
      mcpServers: { toolcrib: launch },
      projects: { '/home/ada/p': { mcpServers: {} } },
    });
  });

  it.each([
    ['vscode', { type: 'stdio', ...launch }],
    ['zed', { source: 'custom', ...launch }],
  ] as const)('writes the entry as %s wants it', (client, entry) => {
    const text = '{"servers": {}, "context_servers": {}}';
    const { lists } = readClientText(text, { ...around, client });
    const after = rewriteClientText(text, { lists, client, launch, stays: () => false });
    expect(Object.values(JSON.parse(after))).toContainEqual({ toolcrib: entry });
  });
});
