/** The tools that a server brings, with what the lock says about each. */
import type { Crib } from '../../../contract/crib.ts';
import type { Tier } from '../../../contract/tool.ts';
import { type Io, note, print } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { table } from '../../output/table.ts';
import { tierCell } from '../../output/tool-summary.ts';

export interface ServerTool {
  readonly tool: string;
  readonly tier?: Tier;
  /** `accepted`, or why it is held back. */
  readonly state: string;
}

export const serverTools = (crib: Crib, server: string): readonly ServerTool[] =>
  crib.tools.lock
    .states()
    .filter(({ origin, state }) => origin === `mcp:${server}` && state !== 'gone')
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

/** How what is held back is let in: one by one, or all of it. */
export const noteHeldTools = (io: Io, tools: readonly ServerTool[]): void => {
  const held = tools.filter(({ state }) => state !== 'accepted');
  const [first] = held;
  if (!first) return;
  const arrow = io.noteInk.cyan('→');
  note(
    io,
    `${arrow} ${counted(held.length, 'tool')} in quarantine. Look at one and let it in: toolcrib tools accept ${first.tool}`,
    `${arrow} All of them, after a look: toolcrib tools lock --accept-all`,
  );
};
