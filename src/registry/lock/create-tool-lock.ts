/**
 * The lock at work: judges what comes from outside by the lines that people have accepted, shows them
 * what is different, and lets out what they accept.
 */
import type { LockEntry, LockState, ToolLock } from '../../contract/lock.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { ToolFamilies } from '../tool-families.ts';
import { createAccept } from './accept-tools.ts';
import { describeChange } from './describe-change.ts';
import type { Gate } from './gate.ts';
import { createJudge } from './judge-tool.ts';
import { createLines, holderOf, isAbout, lineKey } from './lock-lines.ts';
import type { LockStore } from './lock-store.ts';
import { type OutsideTool, outsideTools } from './outside-tools.ts';
import type { Visible } from './visible.ts';

/** What becomes of a source that was never seen before. */
export type LockMode = 'strict' | 'trust-first-use';

export interface ToolLockDeps {
  readonly families: ToolFamilies;
  readonly store: LockStore;
  readonly mode: LockMode;
  readonly runtime: Runtime;
  readonly visible: Visible;
}

export interface JudgingLock extends ToolLock, Pick<Gate, 'judge' | 'welcome' | 'holderOf'> {
  /** The families is about to change. */
  refresh(): void;
}

/** Who accepted what nobody was asked about. */
const FIRST_USE = 'first use';

export const createToolLock = (deps: ToolLockDeps): JudgingLock => {
  const { families, store, mode, runtime, visible } = deps;
  const tools = outsideTools(families);
  const linesOf = createLines(store);
  const judge = createJudge({ tools, linesOf, visible });
  const accept = createAccept({ families, tools, store, runtime, judge });

  const stateOf = (tool: OutsideTool): LockState => {
    const { registered, pinned } = tool;
    const { quarantine } = registered;
    const isShown = quarantine && pinned;
    return {
      tool: tool.name,
      origin: tool.origin,
      state: quarantine?.reason ?? 'accepted',
      fingerprint: pinned?.fingerprint ?? '',
      findings: quarantine?.findings ?? [],
      diff: isShown ? describeChange(linesOf(tool).at(-1), pinned.definition, visible) : '',
    };
  };

  const goneLines = (): readonly LockEntry[] => {
    const present = tools.all();
    return store.own().filter((line) => !present.some((tool) => isAbout(line, tool)));
  };

  return {
    refresh: tools.refresh,
    judge,
    holderOf: (name) => holderOf(store.entries(), name),
    accept,
    welcome: async () => {
      if (mode === 'trust-first-use') await welcomeAll(tools.all(), deps, accept);
    },
    states: () => [...tools.all().map(stateOf), ...goneLines().map(goneState)],
    async forget(names) {
      const gone = goneLines().filter(({ tool }) => names.includes(tool));
      const keys = new Set(gone.map(lineKey));
      if (gone.length > 0)
        await store.change((own) => own.filter((line) => !keys.has(lineKey(line))));
      return gone.length;
    },
  };
};

const goneState = ({ tool, origin, fingerprint }: LockEntry): LockState => ({
  ...{ tool, origin, fingerprint },
  state: 'gone',
  findings: [],
  diff: '',
});

/** A source that is known already and comes with something new is not used for the first time. */
const welcomeAll = async (
  all: readonly OutsideTool[],
  { store, runtime }: ToolLockDeps,
  accept: ToolLock['accept'],
): Promise<void> => {
  const known = new Set(store.entries().map(({ origin }) => origin));
  const first = all.filter(
    ({ registered, origin }) => registered.quarantine?.reason === 'new' && !known.has(origin),
  );
  const names = first.map(({ name }) => name);
  await accept(names, FIRST_USE).catch((error: unknown) => {
    const reason = reasonOf(error);
    runtime.log.error('Tools could not be accepted on first use', { reason });
  });
};
