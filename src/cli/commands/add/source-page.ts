/** Shows what a source would add: its tools with tier, rule and prompt tokens, and what it reaches. */
import type { SourcePreview } from '../../../crib/sources/preview-source.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note, print, widthOf } from '../../io.ts';
import { counted, formatCount } from '../../output/format-units.ts';
import { type Cell, headRow, ruleEffectCell, table } from '../../output/table.ts';
import { firstSentence, tierCell } from '../../output/tool-summary.ts';

/** An API of a thousand operations is summed up; `--json` lists all of them. */
const MAX_ROWS = 40;
const MAX_REFUSED = 10;
const INDENT = '  ';

type Previewed = SourcePreview['tools'][number];

const rowOf = (io: Io, { name, tier, rule, tokens, description }: Previewed): readonly Cell[] => [
  { text: name, paint: io.ink.bold },
  tierCell(tier, io.ink),
  ruleEffectCell(rule, io.ink),
  { text: `~${formatCount(tokens)}`, align: 'right' },
  { text: firstSentence(description), paint: io.ink.dim },
];

const tierCounts = (tools: readonly Previewed[]): string => {
  const counts = new Map<string, number>();
  for (const { tier } of tools) counts.set(tier, (counts.get(tier) ?? 0) + 1);
  return [...counts].map(([tier, count]) => `${formatCount(count)} ${tier}`).join(', ');
};

const showRefused = (io: Io, refused: SourcePreview['refused']): void => {
  if (refused.length === 0) return;
  print(io, `Refused: ${formatCount(refused.length)}`);
  for (const { name, reason } of refused.slice(0, MAX_REFUSED)) {
    print(io, `  ${io.ink.yellow('!')} ${visibleText(`${name}: ${reason}`)}`);
  }
  if (refused.length > MAX_REFUSED) {
    print(io, io.ink.dim(`  and ${refused.length - MAX_REFUSED} more; --json lists all of them`));
  }
};

/** Prints the preview. `title` says what the source is. */
export const showPreview = (io: Io, title: string, preview: SourcePreview): void => {
  const { tools, tokens, refused, hosts, secrets, location } = preview;
  print(io, `${io.ink.bold(visibleText(title))}  ${io.ink.dim(visibleText(location))}`);
  const asking = tools.filter(({ rule }) => rule === 'ask').length;
  const about = tools.length === 0 ? '' : ` (${tierCounts(tools)}); ${asking} of them ask first`;
  print(io, `${counted(tools.length, 'tool')}${about}; ~${formatCount(tokens)} prompt tokens`);
  if (tools.length > 0) {
    const head = headRow(['tool', 'tier', 'rule', 'tokens', ''], io.ink);
    const rows = tools.slice(0, MAX_ROWS).map((tool) => rowOf(io, tool));
    const lines = table([head, ...rows], widthOf(io) - INDENT.length);
    print(io, ...lines.map((line) => `${INDENT}${line}`));
  }
  if (tools.length === 0) {
    print(io, `${io.ink.yellow('!')} It has no tools: check the filters, and what is there.`);
  }
  if (tools.length > MAX_ROWS) {
    print(io, io.ink.dim(`  and ${tools.length - MAX_ROWS} more; --json lists all of them`));
  }
  showRefused(io, refused);
  if (hosts.length > 0) print(io, `Reaches: ${visibleText(hosts.join(', '))}`);
  for (const { key, isSet } of secrets) {
    const state = isSet ? io.ink.green('is stored') : io.ink.yellow('is not stored yet');
    print(io, `Secret: ${visibleText(key)} ${state}`);
  }
};

/** Ends a dry run. */
export const noteDryRun = (io: Io, command: string): void =>
  note(io, io.noteInk.dim('Nothing was changed.'), `${io.noteInk.cyan('→')} Add it: ${command}`);
