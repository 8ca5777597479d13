/** Shows a conversation: the text as it comes, each call with its outcome, and what a turn cost. */
import type { ModelCall } from '../../contract/model.ts';
import type { ToolResult } from '../../contract/result.ts';
import { cutToWidth } from '../../kit/text/text-width.ts';
import { visibleBlock, visibleJson, visibleText } from '../../kit/text/visible-text.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { counted, formatCost, formatDuration } from '../output/format-units.ts';

/** The outcome of one message: the text, the calls, and what they cost together. */
export interface TurnReport {
  readonly text: string;
  readonly calls: readonly {
    readonly tool: string;
    readonly failed: boolean;
    readonly executionId: string | undefined;
  }[];
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** False when the configuration has no prices: the cost of the model is then unknown. */
  readonly priced: boolean;
  readonly truncated: boolean;
  readonly stopped?: 'steps' | 'cost';
  /** The step that failed. */
  readonly failure?: ToolResult;
}

export interface ChatView {
  text(piece: string): void;
  /** Ends the text of a step: what follows starts on a new line. */
  endText(): void;
  callStarted(call: ModelCall): void;
  /** Shows how a call ended. Without a result, it did not reach the pipeline or did not need it. */
  callEnded(call: ModelCall, outcome: { failed: boolean; result: ToolResult | undefined }): void;
  turnEnded(report: TurnReport): void;
}

/** Returns the call inside `call_tool`, which is the one to show. */
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
  steps: 'Stopped: the model reached the limit of steps for one message (--max-steps).',
  cost: 'Stopped: this message reached its cost limit (--max-cost).',
} as const;

/** Prints one JSON document for each turn, and nothing else. */
export const jsonView = (io: Io): ChatView => ({
  text: () => undefined,
  endText: () => undefined,
  callStarted: () => undefined,
  callEnded: () => undefined,
  turnEnded: (report) => printJson(io, report),
});

export const chatView = (io: Io): ChatView => {
  const ink = io.noteInk;
  // Only whole words are shown: how a hidden character is marked depends on the characters around it.
  let pending = '';
  let isShown = false;
  const flush = (text: string): void => {
    if (text === '') return;
    isShown = true;
    io.stdout.write(visibleBlock(text));
  };
  return {
    text: (piece) => {
      pending += piece;
      const end = Math.max(pending.lastIndexOf(' '), pending.lastIndexOf('\n')) + 1;
      flush(pending.slice(0, end));
      pending = pending.slice(end);
    },
    endText: () => {
      flush(pending);
      pending = '';
      if (isShown) print(io, '');
      isShown = false;
    },
    callStarted: (call) => {
      const { name, input } = namedCall(call);
      const width = (io.stderr.columns || 80) - 1;
      const json = JSON.stringify(input) ?? '';
      note(
        io,
        cutToWidth(`  → ${visibleText(name)} ${visibleJson(json).replaceAll('\n', ' ')}`, width),
      );
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
