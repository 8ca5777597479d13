/**
 * Chooses the sandbox for an isolation level. One table says which sandboxes and which network a
 * level accepts; a level only ever requires more than the tool did.
 */
import type { Isolation } from '../contract/caller.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Sandbox, Sandboxes, SandboxType } from '../contract/sandbox.ts';
import { sandboxFailure } from '../kit/data/coded-failures.ts';

/** All kinds, from the one that is available everywhere to the one that needs most. */
export const SANDBOX_TYPES = [
  'wasm',
  'process',
  'container',
  'vm',
  'worker',
] as const satisfies readonly SandboxType[];

export interface IsolationRow {
  /** For code of custom tools, in the order in which another one is taken. */
  readonly code: readonly SandboxType[];
  /** For programs. No interpreter of scripts can run one. */
  readonly program: readonly SandboxType[];
  /** `named`: hosts one by one; `any`: patterns, too. Either way only what the tool declared. */
  readonly hosts: 'any' | 'named';
}

export const ISOLATION: Readonly<Record<Isolation, IsolationRow>> = {
  none: {
    code: ['wasm', 'process', 'container', 'vm', 'worker'],
    program: ['process', 'container', 'vm'],
    hosts: 'any',
  },
  basic: {
    code: ['wasm', 'process', 'container', 'vm'],
    program: ['process', 'container', 'vm'],
    hosts: 'any',
  },
  strict: {
    code: ['wasm', 'process', 'container', 'vm'],
    program: ['process', 'container', 'vm'],
    hosts: 'named',
  },
  paranoid: {
    code: ['wasm', 'container', 'vm'],
    program: ['container', 'vm'],
    hosts: 'named',
  },
};

export interface WantedSandbox {
  readonly use: 'code' | 'program';
  /** What the tool says. */
  readonly type: SandboxType;
  /** What it declared. */
  readonly hosts?: readonly string[] | undefined;
}

/** Gives the row of a level; an unknown level is the strictest. */
const isolationRow = (level: string): IsolationRow =>
  Object.hasOwn(ISOLATION, level) ? ISOLATION[level as Isolation] : ISOLATION.paranoid;

/**
 * Lists the kinds that may run it, of which the first available is taken: the tool's own if the
 * level accepts it, otherwise those of the level. Fails with SANDBOX_ERROR when the tool declared
 * more network than the level allows.
 */
export const sandboxFor = (
  level: string,
  { use, type, hosts = [] }: WantedSandbox,
): readonly SandboxType[] => {
  const row = isolationRow(level);
  if (row.hosts === 'named' && hosts.some((host) => host.includes('*'))) {
    throw sandboxFailure(
      'The isolation of this caller gives network to hosts named one by one.',
      'Have the tool declare its hosts without patterns, or call with a lower isolation level.',
    );
  }
  const accepted = row[use];
  return accepted.includes(type) ? [type] : accepted;
};

const isCoded = (error: unknown): error is ToolFailure =>
  (error as { readonly code?: unknown } | undefined)?.code === 'SANDBOX_ERROR';

/**
 * Opens the first kind that the level accepts and the machine has. Rejects with SANDBOX_ERROR, and
 * what to install, when it has none of them.
 */
export const isolationSandbox = async (
  sandboxes: Sandboxes,
  level: string,
  sandbox: WantedSandbox,
): Promise<Sandbox> => {
  const types = sandboxFor(level, sandbox);
  const install: string[] = [];
  let first: ToolFailure | undefined;
  for (const type of types) {
    try {
      return await sandboxes.get(type);
    } catch (error) {
      if (!isCoded(error)) throw error;
      first ??= error;
      install.push(...(error.extras.suggestions ?? []));
    }
  }
  if (types.length === 1 && first) throw first;
  const message = `The isolation level ${level} needs a sandbox that this machine cannot give: ${types.join(' or ')}.`;
  throw new ToolFailure('SANDBOX_ERROR', message, { suggestions: [...new Set(install)] });
};
