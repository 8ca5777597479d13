/** The checks of `doctor` on the project: configuration, trust, rules, store, checkpoints, workspace. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ConfigProblem, formatProblem } from '../../../config/config-error.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { HealthCheck } from '../../../contract/health.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import type { Io } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { stateLine } from '../../session/settle-trust.ts';
import { ruleToolWarnings } from '../policy/policy-files.ts';

/** Reads the configuration and says where it comes from; `loaded` is absent when it is not valid. */
export const checkConfig = async (
  io: Io,
): Promise<{ readonly checks: readonly HealthCheck[]; readonly loaded?: LoadedConfig }> => {
  const { loadConfig } = await import('../../../trust/load-config.ts');
  const name = 'config';
  try {
    const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
    const files = loaded.sources.map(({ kind, path }) => `${path} (${kind})`);
    const message = files.length > 0 ? `Valid: ${files.join(', ')}` : 'None found: defaults apply';
    const fix = 'To have one: toolcrib init';
    const check: HealthCheck = { name, state: 'ok', message, ...(files.length === 0 && { fix }) };
    return { loaded, checks: [check] };
  } catch (error) {
    const { problems } = error as { problems?: readonly ConfigProblem[] };
    if (!problems) throw error;
    const fix = 'Correct it; docs/configuration.md explains every setting.';
    const checks = problems.map(
      (problem): HealthCheck => ({ name, state: 'broken', message: formatProblem(problem), fix }),
    );
    return { checks };
  }
};

/** Says whether the project's configuration counts, and which parts do not. */
export const checkTrust = ({ trust, narrowed }: LoadedConfig): readonly HealthCheck[] => {
  const name = 'trust';
  const { state, projectDir, problems } = trust;
  const fix = 'Look at it and decide: toolcrib trust';
  const states: Readonly<Record<typeof state, HealthCheck>> = {
    none: { name, state: 'ok', message: 'No project that would have to be trusted' },
    trusted: { name, state: 'ok', message: `${projectDir} is trusted, as it is now` },
    untrusted: { name, state: 'warning', message: stateLine(trust), fix },
    changed: { name, state: 'warning', message: stateLine(trust), fix },
  };
  const warn = (message: string, advice: string): HealthCheck => ({
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
): Promise<readonly HealthCheck[]> => {
  const name = 'policy';
  const warnings = await ruleToolWarnings(policyFiles, crib);
  const fix = 'Correct the name in the file of rules; toolcrib tools list shows all.';
  if (warnings.length > 0) {
    return warnings.map((message): HealthCheck => ({ name, state: 'warning', message, fix }));
  }
  return [{ name, state: 'ok', message: `${counted(policyFiles.length, 'file')} of rules` }];
};

/**
 * Verifies the whole audit trail; reports nothing when the store cannot be opened, because another check
 * does.
 */
export const checkTrail = async (crib: CribHost): Promise<readonly HealthCheck[]> => {
  const name = 'audit';
  const store = await crib.store().catch(() => undefined);
  if (!store) return [];
  try {
    const { ok, rows, problem } = await crib.audit.verify();
    const count = counted(rows, 'audit row');
    if (ok) return [{ name, state: 'ok', message: `${count}, chain whole` }];
    const what = problem ? `: ${problem.message}` : '';
    const fix = 'Keep a copy of the file and find out who changed it; then restore a backup.';
    return [{ name, state: 'broken', message: `The audit chain is broken${what}`, fix }];
  } catch (error) {
    return [{ name, state: 'broken', message: `It cannot be verified: ${reasonOf(error)}` }];
  }
};

/** Names the key that seals a shared store; reports nothing when the store is this user's alone. */
export const checkSealKey = async (
  crib: CribHost,
  { userDir }: LoadedConfig,
): Promise<readonly HealthCheck[]> => {
  // Another check reports a store that cannot be opened, also because of its key.
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

/** Tells whether automatic checkpoints are delivered; reports nothing when none are configured. */
export const checkCheckpoints = async (
  crib: CribHost,
  { config }: LoadedConfig,
  now: number,
): Promise<readonly HealthCheck[]> => {
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

export const checkWorkspace = async (loaded: LoadedConfig, root: string): Promise<HealthCheck> => {
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
