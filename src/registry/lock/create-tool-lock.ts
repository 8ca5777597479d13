/**
 * The tool lock: judges tools from outside by the definitions that a person has accepted, lists their
 * states, and releases what is accepted.
 */
import type { LockEntry, LockState, Quarantine, ToolLock } from '../../contract/lock.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { ToolFamilies } from '../tool-families.ts';
import type { Registered } from '../versions.ts';
import { createAccept } from './accept-tools.ts';
import { describeChange } from './describe-change.ts';
import { type Gate, NOT_JUDGED } from './gate.ts';
import { createLines, holderOf, isAbout, type LockStore, lineKey } from './lock-lines.ts';
import { type OutsideTool, type OutsideTools, outsideTools } from './outside-tools.ts';
import { isGrave, scanDefinition } from './scan/scan-definition.ts';
import type { Visible } from './visible.ts';

/** What happens to the tools of a source that is used for the first time. */
export type LockMode = 'strict' | 'trust-first-use';

export interface ToolLockDeps {
  readonly families: ToolFamilies;
  readonly store: LockStore;
  readonly mode: LockMode;
  readonly runtime: Runtime;
  readonly visible: Visible;
}

export interface JudgingLock extends ToolLock, Pick<Gate, 'judge' | 'acceptFirstUse' | 'holderOf'> {
  /** Drops what was computed of the families; called before they change. */
  refresh(): void;
}

/** The name of the accepter where no person was asked. */
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
    const lines = linesOf(tool);
    const [first, last] = [lines[0], lines.at(-1)];
    return {
      tool: tool.name,
      origin: tool.origin,
      state: quarantine?.reason ?? 'accepted',
      fingerprint: pinned?.fingerprint ?? '',
      findings: quarantine?.findings ?? [],
      diff: isShown ? describeChange(last, pinned.definition, visible) : '',
      ...(first && last && { firstAcceptedAt: first.acceptedAt, acceptedAt: last.acceptedAt }),
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
    acceptFirstUse: async () => {
      if (mode === 'trust-first-use') await acceptNewSources(tools.all(), deps, accept);
    },
    states: () => [...tools.all().map(stateOf), ...goneLines().map(goneState)],
    async forget(names) {
      const goneEntries = goneLines().filter(({ tool }) => names.includes(tool));
      const keys = new Set(goneEntries.map(lineKey));
      if (goneEntries.length > 0)
        await store.change((own) => own.filter((line) => !keys.has(lineKey(line))));
      return goneEntries.length;
    },
  };
};

const goneState = ({ tool, origin, fingerprint }: LockEntry): LockState => ({
  tool,
  origin,
  fingerprint,
  state: 'gone',
  findings: [],
  diff: '',
});

/** Accepts the tools of sources that the lock has no line of; new tools of other sources stay held. */
const acceptNewSources = async (
  all: readonly OutsideTool[],
  { store, runtime }: ToolLockDeps,
  accept: ToolLock['accept'],
): Promise<void> => {
  const origins = new Set(store.entries().map(({ origin }) => origin));
  const first = all.filter(
    ({ registered, origin }) => registered.quarantine?.reason === 'new' && !origins.has(origin),
  );
  const names = first.map(({ name }) => name);
  await accept(names, FIRST_USE).catch((error: unknown) => {
    const reason = reasonOf(error);
    runtime.log.error('Tools could not be accepted on first use', { reason });
  });
};

interface JudgeDeps {
  readonly tools: OutsideTools;
  readonly linesOf: ReturnType<typeof createLines>;
  readonly visible: Visible;
}

/** Judges one tool. An accepted definition is not scanned again: a person has read it. */
const createJudge =
  ({ tools, linesOf, visible }: JudgeDeps) =>
  (registered: Registered): Quarantine | undefined => {
    const tool = tools.of(registered);
    if (!tool?.pinned) return NOT_JUDGED;
    const { definition, fingerprint } = tool.pinned;
    const lines = linesOf(tool);
    if (lines.some((line) => line.fingerprint === fingerprint)) return undefined;
    const findings = scanDefinition(definition, { tool, names: tools.names(), visible });
    if (isGrave(findings)) return { reason: 'flagged', findings };
    return { reason: lines.length > 0 ? 'changed' : 'new', findings };
  };
