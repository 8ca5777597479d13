/**
 * A crib around all tools that ship, as the fuzzing of guarantee Z1 needs it: every service is a
 * server on this machine, no name resolves, and no limit ends a call before the tool is reached.
 */
import type { Crib } from '../../src/contract/crib.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { createCrib } from '../../src/crib/create-crib.ts';
import { loadConfig } from '../../src/trust/load-config.ts';
import { CASES, putFiles, type ToolCase } from '../e2e/shipped-tool-cases.ts';
import { keepFolder } from '../fixtures/kept-folder.ts';
import { openVendor } from '../fixtures/vendors/vendor-site.ts';
import { isFull } from './size.ts';

export interface FuzzLocation {
  readonly crib: Crib;
  /** The inputs of the examples, with the addresses of the local servers in them. */
  inputsOf(tool: Tool): readonly unknown[];
  /** Puts the files back as they were: what one tool leaves behind is not fed to the next. */
  restore(): void;
  close(): Promise<void>;
}

/** Ready at once: a build that is waited for would take most of the time. */
const openReadyVercel = () =>
  openVendor(() => ({ body: { id: 'dpl_1', url: 'lamps.vercel.app', readyState: 'READY' } }));

const caseOf = (name: string): ToolCase => {
  const found = Object.hasOwn(CASES, name) ? CASES[name] : undefined;
  if (!found) throw new Error(`${name} has no case in shipped-tool-cases.ts`);
  return name === 'vercel_deploy' ? { ...found, open: openReadyVercel } : found;
};

/** What the others would put here stands in the way of these. */
const IN_PLACE = ['query_database', 'git', 'git_commit', 'git_remote'];
const prepareOf = (name: string): ToolCase['prepare'] => caseOf(name).prepare;

const ENDLESS = { maxPerHour: 1_000_000_000, maxPerDay: 1_000_000_000 };

const settingsFor = async (root: string, env: Record<string, string>, names: readonly string[]) => {
  // What `bash_execution` may start, it starts in the full run only.
  const { TOOLCRIB_COMMANDS_ALLOW: allowed = '', ...rest } = env;
  const own = { ...rest, ...(isFull && { TOOLCRIB_COMMANDS_ALLOW: allowed }) };
  const { config } = await loadConfig({ cwd: root, env: { HOME: root, ...own } });
  const perTool = names.map((name) => [
    name,
    { enabled: true, retry: 'NONE' as const, rateLimit: ENDLESS, cache: false as const },
  ]);
  return {
    ...config,
    execution: { ...config.execution, loop: false as const, breaker: NO_BREAKER },
    budget: { ...config.budget, dailyUsd: 1_000_000_000 },
    tools: { ...config.tools, ...Object.fromEntries(perTool) },
  };
};

const NO_BREAKER = { enabled: false, failures: 1_000_000, restMs: 1 };

export const openFuzzPlace = async (
  root: string,
  names: readonly string[],
): Promise<FuzzLocation> => {
  const closing: (() => Promise<void>)[] = [];
  const moves = new Map<string, readonly [from: string, to: string]>();
  const env: Record<string, string> = {};
  for (const name of names) {
    const { files, open, from, env: own } = caseOf(name);
    putFiles(root, files);
    const beside = await open?.();
    if (beside) closing.push(() => beside.close());
    if (from !== undefined && beside) moves.set(name, [from, beside.url]);
    Object.assign(env, own?.(beside?.url ?? ''));
  }
  const prepares = new Set(IN_PLACE.filter((name) => names.includes(name)).map(prepareOf));
  for (const prepare of prepares) await prepare?.(root, '');
  const crib = await createCrib({
    root,
    store: 'memory',
    watch: false,
    approver: () => true,
    settings: await settingsFor(root, env, names),
    secrets: { get: async (key) => (Object.hasOwn(env, key) ? env[key] : undefined) },
  });
  const kept = keepFolder(root);
  return {
    crib,
    restore: () => kept.restore(),
    inputsOf: ({ name, examples = [] }) => {
      const [from, to] = moves.get(name) ?? ['', ''];
      const { sample } = caseOf(name);
      if (sample) return [sample];
      return examples.map(({ input }) =>
        from === '' ? input : (JSON.parse(JSON.stringify(input).replaceAll(from, to)) as unknown),
      );
    },
    close: async () => {
      await crib.close();
      for (const close of closing) await close();
    },
  };
};
