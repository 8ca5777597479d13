/**
 * Opens servers or other sources that were just added, shows their tools and suspicious findings, and
 * asks whether to accept them. Without a terminal nothing is started, and the commands to type next are
 * printed.
 */
import type { Crib } from '../../../contract/crib.ts';
import type { Tier } from '../../../contract/tool.ts';
import { canAsk } from '../../input/confirm.ts';
import { advise, hint, type Io, note, print, printDone } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { table } from '../../output/table.ts';
import { tierCell } from '../../output/tool-summary.ts';
import { acceptHeld, isHeld, lockFileOf } from '../tools/lock-page.ts';
import { type FreshCrib, withFreshCrib } from '../tools/with-fresh-crib.ts';

interface ServerTool {
  readonly tool: string;
  readonly tier?: Tier;
  /** `accepted`, or why it is in quarantine. */
  readonly state: string;
}

/** Lists the tools of a source, e.g. `mcp:github`, with what the lock says about each. */
export const serverTools = (crib: Crib, source: string): readonly ServerTool[] =>
  crib.tools.lock
    .states()
    .filter(({ origin, state }) => origin === source && state !== 'gone')
    .map(({ tool, state }) => {
      const tier = crib.tools.get(tool)?.tool.tier;
      return { tool, state, ...(tier && { tier }) };
    });

export const showServerTools = (io: Io, tools: readonly ServerTool[]): void => {
  const rows = tools.map(({ tool, tier, state }) => [
    { text: tool, paint: io.ink.bold },
    tier ? tierCell(tier, io.ink) : '',
    { text: state, paint: state === 'accepted' ? io.ink.green : io.ink.yellow },
  ]);
  print(io, ...table(rows).map((line) => `  ${line}`));
};

/** Prints the commands that accept tools in quarantine. */
export const noteHeldTools = (io: Io, tools: readonly ServerTool[]): void => {
  const held = tools.filter(({ state }) => state !== 'accepted');
  const [first] = held;
  if (!first) return;
  advise(
    io,
    `${counted(held.length, 'tool')} in quarantine. Review and accept one: toolcrib tools accept ${first.tool}`,
    'Review and accept all: toolcrib tools lock --accept-all',
  );
};

/** Splits a label: `mcp:github` is the MCP server github. */
const partsOf = (label: string): { readonly group: string; readonly name: string } => {
  const at = label.indexOf(':');
  const group = label.slice(0, at) === 'mcp' ? 'servers' : 'sources';
  return { group, name: label.slice(at + 1) };
};

const testCommand = (label: string): string => {
  const { group, name } = partsOf(label);
  return `toolcrib ${group} test ${name}`;
};

const noteNextCommands = (io: Io, labels: readonly string[]): void => {
  const [first = ''] = labels;
  const [which, whose] = labels.length === 1 ? ['it', 'its'] : ['one', 'their'];
  advise(
    io,
    `Try ${which}: ${testCommand(first)}`,
    `Review and accept ${whose} tools: toolcrib tools lock --accept-all`,
  );
};

const showSource = (io: Io, { crib, unreachable }: FreshCrib, label: string): void => {
  const { name } = partsOf(label);
  if (unreachable.includes(name)) {
    advise(io, `See why: ${testCommand(label)}`);
    return;
  }
  const tools = serverTools(crib, label);
  print(io, `${io.ink.bold(name)}: ${counted(tools.length, 'tool')}`);
  showServerTools(io, tools);
};

const offer = async (io: Io, open: FreshCrib, labels: readonly string[]): Promise<void> => {
  for (const label of labels) showSource(io, open, label);
  const held = open.crib.tools.lock
    .states()
    .filter((state) => labels.includes(state.origin) && isHeld(state));
  if (held.length === 0) return;
  const accepted = await acceptHeld(io, open, { held, yes: false });
  if (!accepted) {
    note(io, 'They stay in quarantine. To look at one again: toolcrib tools accept <name>');
    return;
  }
  printDone(io, `Accepted: ${counted(accepted.length, 'tool')}`);
  hint(io, `in ${lockFileOf(open, accepted)}`);
};

/**
 * Offers the tools of sources, which are named by their labels: `mcp:github`, `openapi:petstore`. A
 * source that does not answer stays in the configuration, and the reason is printed.
 */
export const offerTools = async (
  io: Io,
  labels: readonly string[],
  { ask }: { readonly ask: boolean },
): Promise<void> => {
  if (io.json || labels.length === 0) return;
  if (!ask || !canAsk(io)) {
    noteNextCommands(io, labels);
    return;
  }
  const servers = labels.filter((label) => label.startsWith('mcp:'));
  if (servers.length > 0) {
    hint(io, `Starting ${counted(servers.length, 'server')} to see the tools …`);
  }
  const names = servers.map((label) => partsOf(label).name);
  await withFreshCrib(io, (open) => offer(io, open, labels), { silent: true, servers: names });
};
