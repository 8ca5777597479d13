/** Draws a snapshot as lines of text: a pure function of the snapshot, the size of the screen and the view. */
import type { Colors } from 'picocolors/types.js';
import type { ServerState } from '../../../contract/servers.ts';
import { cutToWidth, textWidth } from '../../../kit/text/text-width.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import {
  bar,
  formatCost,
  formatCount,
  formatShare,
  formatSpan,
  formatTimed,
  sparkline,
} from '../../output/format-units.ts';
import { joined, type Part, painted, rateInk, type TopView } from './screen-text.ts';
import { toolLines } from './tool-table.ts';
import type { TopSnapshot } from './top-snapshot.ts';

/** Narrower screens are drawn with this width, and their lines are cut. */
const MIN_COLUMNS = 20;
const LABEL = 9;

const labelled = (name: string, ink: Colors): Part => ({
  text: name.padEnd(LABEL),
  paint: ink.dim,
});

const rateText = (perSecond: number): string =>
  `${perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond))}/s`;

const headLine = ({ source, at }: TopSnapshot, view: TopView, ink: Colors): string => {
  const clock = `${new Date(at).toISOString().slice(11, 19)}Z`;
  const state = view.isPaused ? ' paused' : '';
  const title = 'toolcrib top';
  const room = view.columns - title.length - clock.length - state.length - 4;
  const label = cutToWidth(visibleText(source), Math.max(0, room));
  const gap = Math.max(
    1,
    view.columns - title.length - textWidth(label) - clock.length - state.length - 2,
  );
  return joined(
    [
      { text: title, paint: ink.bold },
      { text: `  ${label}${' '.repeat(gap)}`, paint: ink.dim },
      { text: clock },
      { text: state, paint: ink.yellow },
    ],
    view.columns,
  );
};

const callsLine = ({ perSecond, minutes }: TopSnapshot, view: TopView, ink: Colors): string => {
  const current = view.rates.at(-1) ?? perSecond;
  const max = Math.max(...minutes.map(({ calls }) => calls));
  const live = view.rates.slice(-20);
  const words = `  1 h, at most ${formatCount(max)}/min`;
  const used = LABEL + 9 + (live.length > 1 ? live.length + 2 : 0) + words.length;
  const bars = Math.max(0, Math.min(minutes.length, view.columns - used));
  const counts = minutes.slice(minutes.length - bars).map(({ calls }) => calls);
  return joined(
    [
      labelled('calls', ink),
      { text: rateText(current).padEnd(9), paint: ink.bold },
      { text: live.length > 1 ? `${sparkline(live)}  ` : '', paint: ink.green },
      { text: bars > 0 ? sparkline(counts) : '', paint: ink.cyan },
      { text: words, paint: ink.dim },
    ],
    view.columns,
  );
};

const stateLine = (snapshot: TopSnapshot, { columns }: TopView, ink: Colors): string => {
  const { running, waiting, errorRate, p95Ms, at } = snapshot;
  const age = waiting.oldestAt === undefined ? '' : ` (${formatSpan(at - waiting.oldestAt)})`;
  return joined(
    [
      labelled('running', ink),
      { text: formatCount(running).padEnd(5), paint: ink.bold },
      { text: 'waiting for approval ', paint: ink.dim },
      painted(`${waiting.count}${age}  `, waiting.count > 0 ? ink.yellow : undefined),
      { text: 'failed ', paint: ink.dim },
      painted(`${formatShare(errorRate)}  `, rateInk(errorRate, ink)),
      { text: 'p95 ', paint: ink.dim },
      { text: formatTimed(p95Ms) },
    ],
    columns,
  );
};

const spendLine = ({ spend }: TopSnapshot, { columns }: TopView, ink: Colors): string => {
  const { usd, highest } = spend;
  const share = highest ? highest.usd / Math.max(highest.limitUsd, Number.EPSILON) : 0;
  const paint = share >= 0.8 ? ink.red : ink.green;
  const limit = highest
    ? [
        { text: bar(share, 1, 12), paint },
        { text: ` ${formatShare(Math.min(1, share))} of $${highest.limitUsd}` },
        { text: ` (${visibleText(highest.user)})`, paint: ink.dim },
      ]
    : [{ text: 'no limit', paint: ink.dim }];
  return joined(
    [labelled('spend', ink), { text: `${formatCost(usd)} today  `, paint: ink.bold }, ...limit],
    columns,
  );
};

const jobsLine = ({ jobs }: TopSnapshot, { columns }: TopView, ink: Colors): string => {
  const { waiting, active, delayed, dead } = jobs;
  const text = `${active} active · ${waiting} waiting · ${delayed} delayed · `;
  return joined(
    [labelled('jobs', ink), { text }, painted(`${dead} dead`, dead > 0 ? ink.red : undefined)],
    columns,
  );
};

const STATE_MARKS: Readonly<
  Record<ServerState, readonly [string, 'green' | 'yellow' | 'red' | 'dim']>
> = {
  ready: ['●', 'green'],
  idle: ['○', 'dim'],
  disabled: ['○', 'dim'],
  starting: ['◐', 'yellow'],
  restarting: ['◐', 'yellow'],
  needs_login: ['!', 'yellow'],
  open: ['✗', 'red'],
};

const serversLine = ({ servers }: TopSnapshot, { columns }: TopView, ink: Colors): string => {
  if (servers.length === 0) {
    return joined([labelled('servers', ink), { text: 'none', paint: ink.dim }], columns);
  }
  const worst = ({ state }: (typeof servers)[number]): number =>
    ['open', 'needs_login', 'restarting', 'starting', 'ready'].indexOf(state) + 1 || 9;
  const parts = [...servers]
    .sort((one, other) => worst(one) - worst(other))
    .flatMap(({ name, state }): readonly Part[] => {
      const [mark, colour] = STATE_MARKS[state] ?? ['?', 'dim'];
      const words = state === 'ready' ? '' : ` ${state.replace('_', ' ')}`;
      return [{ text: `${mark} `, paint: ink[colour] }, { text: `${visibleText(name)}${words}  ` }];
    });
  return joined([labelled('servers', ink), ...parts], columns);
};

const HELP = [
  'q  quit                      c  sort by calls',
  'p  pause and go on           f  sort by how many failed',
  'r  refresh now               t  sort by time (p95)',
  '?  this help, and back       m  sort by cost',
  '                             n  sort by name',
  '',
  'Calls, failures and times of tools are of the last 15 minutes, of every process',
  'on the store. Without a server, running counts calls that may change something.',
  'Spending is that of today (UTC), against the limit that is nearest.',
];

const KEYS = 'q quit  p pause  c f t m n sort  ? help';

/** Draws the screen: at most as many lines as it has rows, none wider than its columns. */
export const drawTop = (
  snapshot: TopSnapshot,
  requested: TopView,
  ink: Colors,
): readonly string[] => {
  const view = { ...requested, columns: Math.max(MIN_COLUMNS, requested.columns) };
  const upper = [
    headLine(snapshot, view, ink),
    callsLine(snapshot, view, ink),
    stateLine(snapshot, view, ink),
    spendLine(snapshot, view, ink),
    jobsLine(snapshot, view, ink),
    serversLine(snapshot, view, ink),
    '',
  ];
  // Two lines are taken: the head of the table and the keys.
  const room = Math.max(0, view.rows - upper.length - 2);
  const lower = view.showsHelp
    ? HELP.map((line) => cutToWidth(line, view.columns))
    : toolLines(snapshot, view, { ink, room });
  const foot =
    view.problem === undefined
      ? ink.dim(cutToWidth(KEYS, view.columns))
      : ink.red(cutToWidth(`cannot read: ${visibleText(view.problem)}`, view.columns));
  const body = [...upper, ...lower].slice(0, Math.max(0, view.rows - 1));
  const filler = Array.from({ length: Math.max(0, view.rows - 1 - body.length) }, () => '');
  return [...body, ...filler, foot].slice(0, view.rows);
};
