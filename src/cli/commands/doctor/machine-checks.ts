/** The checks of `doctor` on this machine: Node, SQLite, programs, sandboxes, the packages of a model. */
import { createRequire } from 'node:module';
import type { CribHost } from '../../../contract/crib-host.ts';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import { findProgram, pathFolders } from '../../../kit/file/find-program.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import type { Io } from '../../io.ts';

export interface Check {
  readonly name: string;
  /** `warning` when something optional is missing, `broken` when something needed is. */
  readonly state: 'ok' | 'warning' | 'broken';
  readonly message: string;
  readonly fix?: string;
}

const MIN_NODE = [20, 19] as const;
const OWN_SQLITE = [22, 13] as const;

const atLeast = (version: string, [major, minor]: readonly [number, number]): boolean => {
  const [ours = 0, next = 0] = version.split('.').map(Number);
  return ours > major || (ours === major && next >= minor);
};

export const checkNode = (version: string): Check =>
  atLeast(version, MIN_NODE)
    ? { name: 'node', state: 'ok', message: `Node ${version}` }
    : {
        name: 'node',
        state: 'broken',
        message: `Node ${version} is too old`,
        fix: `Install Node ${MIN_NODE.join('.')} or later.`,
      };

export const checkSqlite = async (version: string): Promise<Check> => {
  const name = 'sqlite';
  if (atLeast(version, OWN_SQLITE)) {
    return { name, state: 'ok', message: 'SQLite comes with this Node' };
  }
  try {
    await import('@photostructure/sqlite');
    return { name, state: 'ok', message: 'SQLite through @photostructure/sqlite' };
  } catch {
    return {
      name,
      state: 'broken',
      message: 'The SQLite driver cannot be loaded',
      fix: 'Run `npm install` again, use Node 22.13 or later, or set store.driver to memory.',
    };
  }
};

export const checkRipgrep = async (io: Io): Promise<Check> => {
  const path = await findProgram({ names: ['rg', 'rg.exe'], folders: pathFolders(io.env) });
  return path === undefined
    ? {
        name: 'ripgrep',
        state: 'warning',
        message: 'ripgrep is not on the PATH: searching file contents is slower without it',
        fix: 'Install it: apt install ripgrep, brew install ripgrep or winget install BurntSushi.ripgrep.MSVC',
      }
    : { name: 'ripgrep', state: 'ok', message: `ripgrep at ${path}` };
};

/** Names the tools that need a kind of sandbox. */
const neededBy = (crib: CribHost, type: string): string => {
  const names = crib.tools
    .list()
    .filter(({ tool }) => tool.sandbox?.type === type)
    .map(({ tool }) => tool.name);
  return names.length === 0 ? '' : ` These tools cannot run without it: ${names.join(', ')}.`;
};

/** Checks the sandboxes. A missing one is a warning: the tools that need it say so themselves. */
export const checkSandboxes = async (crib: CribHost): Promise<readonly Check[]> =>
  (await crib.health.sandboxes()).map((sandbox) =>
    sandbox.ready
      ? { name: sandbox.type, state: 'ok', message: `Sandbox ${sandbox.type} works` }
      : {
          name: sandbox.type,
          state: 'warning',
          message: `No ${sandbox.type} sandbox: ${sandbox.reason}${neededBy(crib, sandbox.type)}`,
          fix: sandbox.install,
        },
  );

/** Says whether a package can be loaded from here. One that exports nothing to CommonJS counts as installed. */
const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== 'MODULE_NOT_FOUND';
  }
};

/** Checks that the packages of the configured model's provider are installed. */
export const checkModel = ({ config }: LoadedConfig, has = isInstalled): Check => {
  const name = 'model';
  if (!config.model) {
    return {
      name,
      state: 'warning',
      message: 'No language model: the few operations that need one will say so',
      fix: 'Set model.provider and model.model in the configuration.',
    };
  }
  const { model, provider } = config.model;
  const missing = ['ai', `@ai-sdk/${provider}`].filter((each) => !has(each));
  if (missing.length === 0) return { name, state: 'ok', message: `${model} (${provider})` };
  return {
    name,
    state: 'warning',
    message: `${model} (${provider}) cannot be asked: ${missing.join(' and ')} is not installed`,
    fix: `npm install ai@6 @ai-sdk/${provider}`,
  };
};
