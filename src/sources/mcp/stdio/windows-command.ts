/**
 * Starts programs on Windows. `npx` and similar programs are `.cmd` files there, which only the command
 * interpreter can run; every word is quoted so that it stays one word.
 */

export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
  /** The arguments are quoted already. */
  readonly verbatim: boolean;
}

export interface WindowsLocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  exists(path: string): boolean;
}

const SHELL_FILE = /\.(?:cmd|bat)$/i;
const HAS_FOLDER = /[\\/]/;
const META = /[()\][%!^"`<>&|;, *?]/g;

const variableOf = (env: WindowsLocation['env'], name: string): string | undefined => {
  const key = Object.keys(env).find((one) => one.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
};

/** Finds the file of a command as the system would; returns the command itself when there is none. */
export const findProgram = (command: string, { env, exists }: WindowsLocation): string => {
  const endings = (variableOf(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean);
  const folders = HAS_FOLDER.test(command)
    ? ['']
    : (variableOf(env, 'PATH') ?? '').split(';').filter(Boolean);
  const names = [command, ...endings.map((ending) => command + ending.toLowerCase())];
  // A name without an ending is no program on Windows: `npx` beside `npx.cmd` is for other shells.
  const usable = names.filter((name) => /\.[^\\/.]+$/.test(name));
  for (const folder of folders) {
    for (const name of usable) {
      const path = folder === '' ? name : `${folder.replace(/[\\/]$/, '')}\\${name}`;
      if (exists(path)) return path;
    }
  }
  return command;
};

/** Quotes for the program, then escapes twice for the interpreter: a `.cmd` file reads it again. */
const quoteWord = (word: string): string => {
  const inner = word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1');
  return `"${inner}"`.replaceAll(META, '^$&').replaceAll(META, '^$&');
};

export const windowsLaunch = (
  command: string,
  args: readonly string[],
  location: WindowsLocation,
): Launch => {
  const file = findProgram(command, location);
  if (!SHELL_FILE.test(file)) return { file, args, verbatim: false };
  const line = [file.replaceAll(META, '^$&'), ...args.map(quoteWord)].join(' ');
  const interpreter = variableOf(location.env, 'COMSPEC') ?? 'cmd.exe';
  return { file: interpreter, args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
};
