/** The checks of `doctor` on the project: configuration, trust, rules, store, checkpoints, workspace. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ConfigProblem, formatProblem } from '../../../config/config-error.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import type { Io } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { stateLine } from '../../session/settle-trust.ts';
import { ruleToolWarnings } from '../policy/policy-files.ts';
import type { Check } from './machine-checks.ts';

/** Reads the configuration and says where it comes from; `loaded` is absent when it is not valid. */
export const checkConfig = async (
  io: Io,
): Promise<{ readonly checks: readonly Check[]; readonly loaded?: LoadedConfig }> => {
  const { loadConfig } = await import('../../../trust/load-config.ts');
  const name = 'config';
  try {
    const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
    const files = loaded.sources.map(({ kind, path }) => `${path} (${kind})`);
    const message = files.length > 0 ? `Valid: ${files.join(', ')}` : 'None found: defaults apply';
    const fix = 'To have one: toolcrib init';
    const check: Check = { name, state: 'ok', message, ...(files.length === 0 && { fix }) };
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

/** Says whether the project's configuration counts, and which parts do not. */
export const checkTrust = ({ trust, narrowed }: LoadedConfig): readonly Check[] => {
  const name = 'trust';
  const { state, projectDir, problems } = trust;
  const fix = 'Look at it and decide: toolcrib trust';
  const states: Readonly<Record<typeof state, Check>> = {
    none: { name, state: 'ok', message: 'No project that would have to be trusted' },
    trusted: { name, state: 'ok', message: `${projectDir} is trusted, as it is now` },
    untrusted: { name, state: 'warning', message: stateLine(trust), fix },
    changed: { name, state: 'warning', message: stateLine(trust), fix },
  };
  const warn = (message: string, advice: string): Check => ({
    name,
    state: 'warning',
    message,
    fix: advice,
  });
  return [
    states[state],
    ...problems.map((problem) => warn(formatProblem(problem), 'Correct it, then: toolcrib trust')),
    ...narrowed.map(({ path, origin, message }) =>
      warn(`${origin}: ${path}: ${message}`, 'Set it in your own configuration, or remove it.'),
    ),
  ];
};

/** Warns of rules that name a missing tool: they forbid nothing. */
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
    const advice = error instanceof ToolFailure ? error.extras.suggestions?.[0] : undefined;
    const fix = advice ?? 'Make the directory of store.path writable, or set another path.';
    return { name, state: 'broken', message, fix };
  }
};

/** Names the key that seals a store of several machines; nothing where the store is this user's alone. */
export const checkSealKey = async (
  crib: CribHost,
  { userDir }: LoadedConfig,
): Promise<readonly Check[]> => {
  // A store that cannot be opened, also because of its key, has been reported.
  const store = await crib.store().catch(() => undefined);
  if (!store?.sealKey) return [];
  const [{ fingerprintOf }, { readUserKey }] = await Promise.all([
    import('../../../crib/store/seal-key.ts'),
    import('../../../crib/user-folder.ts'),
  ]);
  const key = await readUserKey(userDir);
  if (!key) return [];
  const message = `Signing key ${fingerprintOf(key.publicKey)} seals the store; every machine needs this one`;
  return [{ name: 'key', state: 'ok', message }];
};

/** Says whether automatic checkpoints are delivered; nothing where none are configured. */
export const checkCheckpoints = async (
  crib: CribHost,
  { config }: LoadedConfig,
  now: number,
): Promise<readonly Check[]> => {
  const { to } = config.audit.checkpoints;
  if (to === undefined) return [];
  const name = 'checkpoint';
  try {
    const { checkpointState } = await import('../../../crib/audit/audit-files.ts');
    const { deliveredSeq, problem } = await checkpointState(await crib.store(), now);
    const last =
      deliveredSeq === 0 ? 'none was delivered yet' : `the last is of row ${deliveredSeq}`;
    if (problem === undefined)
      return [{ name, state: 'ok', message: `Checkpoints go to ${to}; ${last}` }];
    const fix = 'Make audit.checkpoints.to reachable; missing checkpoints follow by themselves.';
    const message = `Checkpoints do not reach ${to}: ${problem}; ${last}`;
    return [{ name, state: 'warning', message, fix }];
  } catch (error) {
    return [{ name, state: 'warning', message: `Not known: ${(error as Error).message}` }];
  }
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
