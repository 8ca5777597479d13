/** The files in which other programs list MCP servers, on each platform. */
import { join } from 'node:path';
import type { UserLocation } from '../load/find-config-files.ts';

export const CLIENTS = [
  'claude',
  'claude-code',
  'cursor',
  'vscode',
  'windsurf',
  'gemini',
  'zed',
  'codex',
  'opencode',
] as const;

export type ClientName = (typeof CLIENTS)[number];

export const CLIENT_TITLES: Readonly<Record<ClientName, string>> = {
  claude: 'Claude Desktop',
  'claude-code': 'Claude Code',
  cursor: 'Cursor',
  vscode: 'VS Code',
  windsurf: 'Windsurf',
  gemini: 'Gemini CLI',
  zed: 'Zed',
  codex: 'Codex',
  opencode: 'opencode',
};

export interface ClientFile {
  readonly client: ClientName;
  /** Absolute. */
  readonly file: string;
  /** A file of the working directory, which somebody else may have written. */
  readonly isProject: boolean;
}

/** Gives the folder of settings: `%APPDATA%`, `~/Library/Application Support` or `~/.config`. */
const settingsDir = ({ env, home, platform }: UserLocation): string => {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
};

const userFiles = (location: UserLocation): Readonly<Record<ClientName, readonly string[]>> => {
  const { env, home, platform } = location;
  const settings = settingsDir(location);
  const zed =
    platform === 'win32'
      ? join(settings, 'Zed')
      : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'zed');
  return {
    claude: [join(settings, 'Claude', 'claude_desktop_config.json')],
    'claude-code': [join(home, '.claude.json')],
    cursor: [join(home, '.cursor', 'mcp.json')],
    vscode: [
      join(settings, 'Code', 'User', 'mcp.json'),
      join(settings, 'Code', 'User', 'settings.json'),
    ],
    windsurf: [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
    gemini: [join(home, '.gemini', 'settings.json')],
    zed: [join(zed, 'settings.json')],
    codex: [join(env.CODEX_HOME || join(home, '.codex'), 'config.toml')],
    // The same on every platform.
    opencode: ['opencode.json', 'opencode.jsonc'].map((name) =>
      join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', name),
    ),
  };
};

const projectFiles = (cwd: string): Readonly<Partial<Record<ClientName, readonly string[]>>> => ({
  'claude-code': [join(cwd, '.mcp.json')],
  cursor: [join(cwd, '.cursor', 'mcp.json')],
  vscode: [join(cwd, '.vscode', 'mcp.json')],
  gemini: [join(cwd, '.gemini', 'settings.json')],
  zed: [join(cwd, '.zed', 'settings.json')],
  codex: [join(cwd, '.codex', 'config.toml')],
  opencode: [join(cwd, 'opencode.json'), join(cwd, 'opencode.jsonc')],
});

/** Lists every known file, whether it exists or not; those of the user before those of the project. */
export const clientFiles = (location: UserLocation): readonly ClientFile[] => {
  const user = userFiles(location);
  const project = projectFiles(location.cwd);
  const seen = new Set<string>();
  const files = (client: ClientName, paths: readonly string[], isProject: boolean) =>
    paths
      .filter((file) => !seen.has(file) && seen.add(file))
      .map((file): ClientFile => ({ client, file, isProject }));
  return CLIENTS.flatMap((client) => [
    ...files(client, user[client], false),
    ...files(client, project[client] ?? [], true),
  ]);
};

const BY_NAME: readonly (readonly [RegExp, ClientName])[] = [
  [/(?:^|[\\/])claude_desktop_config\.json$/i, 'claude'],
  [/(?:^|[\\/])\.(?:mcp|claude)\.json$/i, 'claude-code'],
  [/[\\/]\.cursor[\\/]/i, 'cursor'],
  [/[\\/](?:\.vscode|Code[\\/]User)[\\/]/i, 'vscode'],
  [/[\\/]windsurf[\\/]/i, 'windsurf'],
  [/[\\/]\.gemini[\\/]/i, 'gemini'],
  [/[\\/]\.?zed[\\/]/i, 'zed'],
  [/[\\/]\.codex[\\/]/i, 'codex'],
  [/(?:^|[\\/])opencode\.jsonc?$/i, 'opencode'],
];

/** Finds the program of a file by its path; returns `undefined` when the path does not say. */
export const clientOfPath = (path: string): ClientName | undefined =>
  BY_NAME.find(([pattern]) => pattern.test(path))?.[1];
