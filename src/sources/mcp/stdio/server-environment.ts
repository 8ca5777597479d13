/** The environment of a server: what programs cannot do without, and what is configured. Nothing else. */

type Environment = Readonly<Record<string, string | undefined>>;

const POSIX = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];
const WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'WINDIR',
];

/** A value that begins like this is a function that old shells would run. */
const isShellFunction = (value: string): boolean => value.startsWith('()');

export const serverEnvironment = (
  own: Environment,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Record<string, string> => {
  const names = platform === 'win32' ? WINDOWS : POSIX;
  const env: Record<string, string> = {};
  for (const [key, value] of Object.entries(own)) {
    const name = platform === 'win32' ? key.toUpperCase() : key;
    if (value !== undefined && names.includes(name) && !isShellFunction(value)) env[key] = value;
  }
  return { ...env, ...configured };
};
