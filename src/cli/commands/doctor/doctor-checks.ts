/** What `doctor` looks at. Each check says what it found and, where something is wrong, what to do. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { type ConfigProblem, formatProblem } from '../../../config/config-error.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { errorCodeOf } from '../../../kit/data/reason-of.ts';
import { findProgram, pathFolders } from '../../../kit/file/find-program.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import type { Io } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { stateLine } from '../../session/settle-trust.ts';
import { ruleToolWarnings } from '../policy/rule-tools.ts';

export interface Check {
  readonly name: string;
  /** `warning` for what something optional lacks, `broken` for what is needed. */
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

/** The configuration and where it comes from; `loaded` is absent when it is not valid. */
export const checkConfig = async (
  io: Io,
): Promise<{ readonly checks: readonly Check[]; readonly loaded?: LoadedConfig }> => {
  const { loadConfig } = await import('../../../trust/load-config.ts');
  const name = 'config';
  try {
    const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
    const found = loaded.sources.map(({ kind, path }) => `${path} (${kind})`);
    const message = found.length > 0 ? `Valid: ${found.join(', ')}` : 'None found: defaults apply';
    const fix = 'To have one: toolcrib init';
    const check: Check = { name, state: 'ok', message, ...(found.length === 0 && { fix }) };
    return { loaded, checks: [check] };
  } catch (error) {
    const { problems } = error as { problems?: readonly ConfigProblem[] };
    if (!problems) throw error;
    const fix = 'Correct it; docs/configuration.md explains every setting.';
    const checks = problems.map(
      (problem): Check => ({ name, state: 'broken', message: formatProblem(problem), fix }),
    );
    return { checks };
  }
};

/** Whether the project's configuration counts, and what of it does not. */
export const checkTrust = ({ trust, narrowed }: LoadedConfig): readonly Check[] => {
  const name = 'trust';
  const { state, projectDir, problems } = trust;
  const fix = 'Look at it and decide: toolcrib trust';
  const states: Readonly<Record<typeof state, Check>> = {
    none: { name, state: 'ok', message: 'No project that would have to be trusted' },
    trusted: { name, state: 'ok', message: `${projectDir} is trusted, as it is now` },
    untrusted: {
      name,
      state: 'warning',
      message: stateLine(trust),
      fix,
    },
    changed: {
      name,
      state: 'warning',
      message: stateLine(trust),
      fix,
    },
  };
  const warn = (message: string, mend: string): Check => ({
    name,
    state: 'warning',
    message,
    fix: mend,
  });
  return [
    states[state],
    ...problems.map((problem) => warn(formatProblem(problem), 'Correct it, then: toolcrib trust')),
    ...narrowed.map(({ path, origin, message }) =>
      warn(`${origin}: ${path}: ${message}`, 'Set it in your own configuration, or remove it.'),
    ),
  ];
};

/** Rules that name a tool which is not there forbid nothing, and their author should know. */
export const checkPolicy = async (
  { policyFiles }: LoadedConfig,
  crib: CribHost,
): Promise<readonly Check[]> => {
  const name = 'policy';
  const warnings = await ruleToolWarnings(policyFiles, crib);
  const fix = 'Correct the name in the file of rules; toolcrib tools list shows all.';
  if (warnings.length > 0) {
    return warnings.map((message): Check => ({ name, state: 'warning', message, fix }));
  }
  return [{ name, state: 'ok', message: `${counted(policyFiles.length, 'file')} of rules` }];
};

export const checkStore = async (crib: CribHost): Promise<Check> => {
  const name = 'store';
  try {
    const { label } = await crib.store();
    const { ok, rows, problem } = await crib.audit.verify();
    if (ok) {
      return {
        name,
        state: 'ok',
        message: `${label} opens; ${counted(rows, 'audit row')}, chain whole`,
      };
    }
    const what = problem ? `: ${problem.message}` : '';
    const fix = 'Keep a copy of the file and find out who changed it; then restore a backup.';
    return { name, state: 'broken', message: `${label}: the audit chain is broken${what}`, fix };
  } catch (error) {
    const message = `The store cannot be opened: ${(error as Error).message}`;
    const fix = 'Make the directory of store.path writable, or set another path.';
    return { name, state: 'broken', message, fix };
  }
};

/** Whether automatic checkpoints leave the machine; nothing where none are wished for. */
export const checkCheckpoints = async (
  crib: CribHost,
  { config }: LoadedConfig,
  now: number,
): Promise<readonly Check[]> => {
  const { to } = config.audit.checkpoints;
  if (to === undefined) return [];
  const name = 'checkpoint';
  try {
    const { checkpointState } = await import('../../../crib/audit-files.ts');
    const { deliveredSeq, problem } = await checkpointState(await crib.store(), now);
    const last =
      deliveredSeq === 0 ? 'none was handed over yet' : `the last is of row ${deliveredSeq}`;
    if (problem === undefined)
      return [{ name, state: 'ok', message: `Checkpoints go to ${to}; ${last}` }];
    const fix =
      'Make the place of audit.checkpoints.to reachable; what is missing follows by itself.';
    const message = `Checkpoints do not get to ${to}: ${problem}; ${last}`;
    return [{ name, state: 'warning', message, fix }];
  } catch (error) {
    return [{ name, state: 'warning', message: `Not known: ${(error as Error).message}` }];
  }
};

export const checkRipgrep = async (io: Io): Promise<Check> => {
  const found = await findProgram({ names: ['rg', 'rg.exe'], folders: pathFolders(io.env) });
  return found === undefined
    ? {
        name: 'ripgrep',
        state: 'warning',
        message: 'ripgrep is not on the PATH: searching file contents is slower without it',
        fix: 'Install it: apt install ripgrep, brew install ripgrep or winget install BurntSushi.ripgrep.MSVC',
      }
    : { name: 'ripgrep', state: 'ok', message: `ripgrep at ${found}` };
};

/** Which tools a kind of isolation is needed for. */
const neededBy = (crib: CribHost, type: string): string => {
  const names = crib.tools
    .list()
    .filter(({ tool }) => tool.sandbox?.type === type)
    .map(({ tool }) => tool.name);
  return names.length === 0 ? '' : ` These tools cannot run without it: ${names.join(', ')}.`;
};

/** Isolation that is missing is no fault: what needs it says so. */
export const checkSandboxes = async (crib: CribHost): Promise<readonly Check[]> =>
  (await crib.health.sandboxes()).map((sandbox) =>
    sandbox.ready
      ? { name: sandbox.type, state: 'ok', message: `Sandbox ${sandbox.type} can be given` }
      : {
          name: sandbox.type,
          state: 'warning',
          message: `No ${sandbox.type} sandbox: ${sandbox.reason}${neededBy(crib, sandbox.type)}`,
          fix: sandbox.install,
        },
  );

/** Says whether a package can be loaded from here. One that exports nothing to CommonJS is there. */
const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== 'MODULE_NOT_FOUND';
  }
};

/** A model that is configured works only with the packages of its provider. */
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

export const checkWorkspace = async (loaded: LoadedConfig, root: string): Promise<Check> => {
  const folder = resolve(root, loaded.config.workspace.root);
  const writable = await access(folder, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  return writable
    ? { name: 'workspace', state: 'ok', message: `${folder} can be read and written` }
    : {
        name: 'workspace',
        state: 'broken',
        message: `${folder} is missing or cannot be written`,
        fix: 'Create it, correct its permissions, or set workspace.root.',
      };
};
