/** Where other programs keep their lists of MCP servers, on each platform. */
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

/** For people. */
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
  /** A file of the folder one stands in, which a stranger may have written. */
  readonly isProject: boolean;
}

/** Where a program keeps its settings: `%APPDATA%`, `~/Library/Application Support` or `~/.config`. */
const settingsDir = ({ env, home, platform }: UserLocation): string => {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
};

const own = (place: UserLocation): Readonly<Record<ClientName, readonly string[]>> => {
  const { env, home, platform } = place;
  const settings = settingsDir(place);
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
    // On every platform, as the program itself has it.
    opencode: ['opencode.json', 'opencode.jsonc'].map((name) =>
      join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', name),
    ),
  };
};

const ofProject = (cwd: string): Readonly<Partial<Record<ClientName, readonly string[]>>> => ({
  'claude-code': [join(cwd, '.mcp.json')],
  cursor: [join(cwd, '.cursor', 'mcp.json')],
  vscode: [join(cwd, '.vscode', 'mcp.json')],
  gemini: [join(cwd, '.gemini', 'settings.json')],
  zed: [join(cwd, '.zed', 'settings.json')],
  codex: [join(cwd, '.codex', 'config.toml')],
  opencode: [join(cwd, 'opencode.json'), join(cwd, 'opencode.jsonc')],
});

/** Every place that is known, whether there is a file or not; the user's own before the project's. */
export const clientFiles = (place: UserLocation): readonly ClientFile[] => {
  const mine = own(place);
  const project = ofProject(place.cwd);
  const seen = new Set<string>();
  const files = (client: ClientName, paths: readonly string[], isProject: boolean) =>
    paths
      .filter((file) => !seen.has(file) && seen.add(file))
      .map((file): ClientFile => ({ client, file, isProject }));
  return CLIENTS.flatMap((client) => [
    ...files(client, mine[client], false),
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

/** Whose file this is, told by its path; `undefined` when the path does not say. */
export const clientOfPath = (path: string): ClientName | undefined =>
  BY_NAME.find(([pattern]) => pattern.test(path))?.[1];
