/** Where the health of tools is looked up; what several tools share is asked once. */
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
import { type Io, note } from '../../io.ts';
import type { OpenCrib } from '../../session/open-crib.ts';
import { within } from './within.ts';

export interface HealthDeps {
  readonly runtime: Pick<Runtime, 'after' | 'now'>;
  /** How long anything may take to answer. */
  readonly timeoutMs: number;
  /** Of tools that declare none; absent where the configuration wants none. */
  readonly breaker: Breaker | undefined;
  /** The record; absent when it cannot be read. */
  readonly audit: Pick<AuditLog, 'query'> | undefined;
  /** The value a call would use; nothing where it is missing or blank. */
  secret(key: string): Promise<string | undefined>;
  /** True for one that comes with the program, too. */
  hasProgram(name: string): Promise<boolean>;
  sandbox(type: SandboxType): Promise<SandboxReadiness>;
  /** Starts the server if need be, and asks it. Rejects when it does not answer. */
  server(name: string): Promise<ServerStatus>;
  missingTools(tool: string): readonly string[];
}

const remembered = <T>(ask: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  const asked = new Map<string, Promise<T>>();
  return (key) => {
    const known = asked.get(key) ?? ask(key);
    asked.set(key, known);
    return known;
  };
};

/** As the call would look: the first place that has it, and a blank one is none. */
const lookFor =
  (places: readonly Secrets[]) =>
  async (key: string): Promise<string | undefined> => {
    for (const place of places) {
      const value = await place.get(key);
      if (value !== undefined) return value.trim() === '' ? undefined : value;
    }
    return undefined;
  };

/** The process sandbox runs these for tools, from beside our own files. */
const comesAlong = (name: string): boolean => {
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
    note(io, `${io.noteInk.yellow('!')} ${visibleText(`The record cannot be read: ${reason}`)}`);
    return undefined;
  }
};

const sandboxesOf = ({ crib }: OpenCrib): HealthDeps['sandbox'] => {
  const sandboxes = lazyAsync(() => crib.health.sandboxes());
  return async (type) => {
    const found = (await sandboxes()).find((each) => each.type === type);
    return found ?? { ready: false, reason: 'there is none of this kind', install: '' };
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
    secret: remembered(lookFor(openSecrets({ config, env: io.env, home: userDir }))),
    hasProgram: remembered(
      async (name) =>
        comesAlong(name) ||
        (await findProgram({ names: names(name), folders: pathFolders(io.env) })) !== undefined,
    ),
    sandbox: sandboxesOf(open),
    server: remembered((name) => within(io.runtime, timeoutMs, () => crib.servers.test(name))),
    missingTools: (tool) => {
      const { missing, cycles } = crib.tools.dependencies(tool);
      const circles = cycles.map((names) => `tools that need each other (${names.join(', ')})`);
      return [...missing.map(({ needs }) => needs), ...circles];
    },
  };
};
