/** A conversation on the screen: the words as they come, each call with its outcome, what a turn cost. */

import type { ModelCall } from '../../contract/model.ts';
import type { ToolResult } from '../../contract/result.ts';
import { visibleBlock, visibleJson, visibleText } from '../../kit/text/visible-text.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { counted, formatCost, formatDuration } from '../output/format-units.ts';
import { cutTo } from '../output/table.ts';
import type { TurnReport } from './chat-turn.ts';

export interface ChatView {
  text(piece: string): void;
  /** The step is over: what comes next starts on a line of its own. */
  endText(): void;
  callStarted(call: ModelCall): void;
  /** Without a result the call did not get as far as the pipeline, or needed none. */
  callEnded(call: ModelCall, outcome: { failed: boolean; result: ToolResult | undefined }): void;
  turnEnded(report: TurnReport): void;
}

/** Inside `call_tool` is the call that matters. */
const namedCall = ({ name, input }: ModelCall): { name: string; input: unknown } => {
  if (name !== 'call_tool' || typeof input !== 'object' || input === null) return { name, input };
  const inner = input as { readonly name?: unknown; readonly input?: unknown };
  return typeof inner.name === 'string'
    ? { name: inner.name, input: inner.input }
    : { name, input };
};

const outcomeOf = (io: Io, failed: boolean, result: ToolResult | undefined): string => {
  const { noteInk: ink } = io;
  if (result?.status === 'pending') return `${ink.yellow('…')} waits for an approval`;
  if (failed) return `${ink.red('✗')} ${result?.error?.code ?? 'refused'}`;
  return ink.green('✓');
};

const summaryOf = ({ steps, calls, inputTokens, outputTokens, costUsd, priced }: TurnReport) =>
  [
    counted(steps, 'step'),
    counted(calls.length, 'call'),
    `${counted(inputTokens, 'token')} in, ${counted(outputTokens, 'token')} out`,
    priced ? formatCost(costUsd) : 'no price configured',
  ].join(' · ');

const STOPPED = {
  steps: 'Stopped: the model took as many steps as it may for one message (--max-steps).',
  cost: 'Stopped: this message cost as much as it may (--max-cost).',
} as const;

/** Of `--json` there is one document a turn, and nothing else. */
export const jsonView = (io: Io): ChatView => ({
  text: () => undefined,
  endText: () => undefined,
  callStarted: () => undefined,
  callEnded: () => undefined,
  turnEnded: (report) => printJson(io, report),
});

export const chatView = (io: Io): ChatView => {
  const ink = io.noteInk;
  // Words are shown whole: marks for hidden characters are judged by what stands around them.
  let held = '';
  let shown = false;
  const flush = (text: string): void => {
    if (text === '') return;
    shown = true;
    io.stdout.write(visibleBlock(text));
  };
  return {
    text: (piece) => {
      held += piece;
      const end = Math.max(held.lastIndexOf(' '), held.lastIndexOf('\n')) + 1;
      flush(held.slice(0, end));
      held = held.slice(end);
    },
    endText: () => {
      flush(held);
      held = '';
      if (shown) print(io, '');
      shown = false;
    },
    callStarted: (call) => {
      const { name, input } = namedCall(call);
      const width = (io.stderr.columns || 80) - 1;
      const json = JSON.stringify(input) ?? '';
      note(io, cutTo(`  → ${visibleText(name)} ${visibleJson(json).replaceAll('\n', ' ')}`, width));
    },
    callEnded: (call, { failed, result }) => {
      const parts = result
        ? [formatDuration(result.metadata.duration), formatCost(result.metadata.cost)]
        : [];
      const name = visibleText(namedCall(call).name);
      const rest = [name, ...parts].join(' · ');
      note(io, `  ${outcomeOf(io, failed, result)} ${ink.dim(rest)}`);
    },
    turnEnded: (report) => {
      if (report.stopped) note(io, `${ink.yellow('!')} ${STOPPED[report.stopped]}`);
      if (report.truncated) note(io, `${ink.yellow('!')} The answer was cut short by its limit.`);
      note(io, ink.dim(summaryOf(report)));
    },
  };
};
