/** Gives health checks what they look at; what several tools share is asked once. */
import { createRequire } from 'node:module';
import type { AuditLog } from '../../../contract/audit.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { SandboxReadiness, SandboxType } from '../../../contract/sandbox.ts';
import type { Secrets } from '../../../contract/secrets.ts';
import type { ServerStatus } from '../../../contract/servers.ts';
import type { Breaker } from '../../../contract/tool.ts';
import { lazyAsync } from '../../../kit/data/lazy.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { findProgram, pathFolders } from '../../../kit/file/find-program.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, warn } from '../../io.ts';
import type { OpenCrib } from '../../session/open-crib.ts';
import { within } from './within.ts';

export interface HealthDeps {
  readonly runtime: Pick<Runtime, 'after' | 'now'>;
  /** How long anything may take to answer. */
  readonly timeoutMs: number;
  /** The breaker of tools that declare none; absent where the configuration switches it off. */
  readonly breaker: Breaker | undefined;
  /** Absent when the record cannot be read. */
  readonly audit: Pick<AuditLog, 'query'> | undefined;
  /** Gives the value that a call would use; `undefined` where it is missing or blank. */
  secret(key: string): Promise<string | undefined>;
  /** Says whether a program is on the PATH or comes with this one. */
  hasProgram(name: string): Promise<boolean>;
  sandbox(type: SandboxType): Promise<SandboxReadiness>;
  /** Starts the server if need be, and asks it. Rejects when it does not answer. */
  server(name: string): Promise<ServerStatus>;
  missingTools(tool: string): readonly string[];
}

const askedOnce = <T>(ask: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  const answers = new Map<string, Promise<T>>();
  return (key) => {
    const answer = answers.get(key) ?? ask(key);
    answers.set(key, answer);
    return answer;
  };
};

/** Looks a secret up as a call does: the first source that has it counts, and a blank value is none. */
const secretIn =
  (sources: readonly Secrets[]) =>
  async (key: string): Promise<string | undefined> => {
    for (const source of sources) {
      const value = await source.get(key);
      if (value !== undefined) return value.trim() === '' ? undefined : value;
    }
    return undefined;
  };

/** Says whether a program comes with us: the process sandbox runs those for tools. */
const isBundled = (name: string): boolean => {
  if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) return false;
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
};

const openRecord = async (io: Io, { crib }: OpenCrib): Promise<HealthDeps['audit']> => {
  try {
    return (await crib.store()).audit;
  } catch (error) {
    const reason = reasonOf(error);
    warn(io, visibleText(`The record cannot be read: ${reason}`));
    return undefined;
  }
};

const sandboxesOf = ({ crib }: OpenCrib): HealthDeps['sandbox'] => {
  const sandboxes = lazyAsync(() => crib.health.sandboxes());
  return async (type) => {
    const sandbox = (await sandboxes()).find((each) => each.type === type);
    return sandbox ?? { ready: false, reason: 'there is none of this kind', install: '' };
  };
};

export const openHealthDeps = async (
  io: Io,
  open: OpenCrib,
  timeoutMs: number,
): Promise<HealthDeps> => {
  const { crib, loaded } = open;
  const { config, userDir } = loaded;
  const { openSecrets } = await import('../../../crib/open-secrets.ts');
  const { enabled, failures, restMs } = config.execution.breaker;
  const names = (name: string) => [name, `${name}.exe`, `${name}.cmd`];
  return {
    runtime: io.runtime,
    timeoutMs,
    breaker: enabled ? { failures, restMs } : undefined,
    audit: await openRecord(io, open),
    secret: askedOnce(secretIn(openSecrets({ config, env: io.env, home: userDir }))),
    hasProgram: askedOnce(
      async (name) =>
        isBundled(name) ||
        (await findProgram({ names: names(name), folders: pathFolders(io.env) })) !== undefined,
    ),
    sandbox: sandboxesOf(open),
    server: askedOnce((name) => within(io.runtime, timeoutMs, () => crib.servers.test(name))),
    missingTools: (tool) => {
      const { missing, cycles } = crib.tools.dependencies(tool);
      const circles = cycles.map((names) => `tools that need each other (${names.join(', ')})`);
      return [...missing.map(({ needs }) => needs), ...circles];
    },
  };
};
