/** Shows a running flow: a tree that is redrawn on a terminal, plain lines elsewhere. */
import { stripVTControlCharacters } from 'node:util';
import type { AuditRow } from '../../../contract/audit.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { FlowRunInfo } from '../../../contract/flow.ts';
import { type StepView, stepLabel, stepViews } from '../../../contract/flow-view.ts';
import { cutToWidth, textWidth } from '../../../kit/text/text-width.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note } from '../../io.ts';
import { formatCost, formatDuration } from '../../output/format-units.ts';
import { markOf, statusCell, stepFacts } from './run-lines.ts';

/** A step, with the steps of the run that it started, if it started one. */
interface TreeStep {
  readonly step: StepView;
  readonly children: readonly TreeStep[];
}

const MAX_DEPTH = 4;

/** Reads the steps of a run and of the runs that it started. */
class TreeReader {
  readonly #crib: CribHost;
  readonly #outcomes = new Map<string, AuditRow>();

  constructor(crib: CribHost) {
    this.#crib = crib;
  }

  async read(runId: string, depth = 0): Promise<readonly TreeStep[]> {
    const { audit } = await this.#crib.store();
    const steps = await stepViews(await this.#crib.flows.steps(runId), audit, this.#outcomes);
    const tree: TreeStep[] = [];
    for (const step of steps) {
      const isParent = step.childId !== undefined && depth < MAX_DEPTH;
      tree.push({ step, children: isParent ? await this.read(step.childId, depth + 1) : [] });
    }
    return tree;
  }
}

const flat = (tree: readonly TreeStep[]): readonly StepView[] =>
  tree.flatMap(({ step, children }) => [step, ...flat(children)]);

interface Drawing {
  readonly io: Io;
  readonly now: number;
}

const stepLines = (
  tree: readonly TreeStep[],
  drawing: Drawing,
  indent = '  ',
): readonly string[] => {
  const width = Math.max(0, ...tree.map(({ step }) => visibleText(stepLabel(step)).length));
  return tree.flatMap(({ step, children }) => [
    `${indent}${markOf(step, drawing.io.noteInk)} ${visibleText(stepLabel(step)).padEnd(width)}  ${stepFacts(step, drawing.now)}`,
    ...stepLines(children, drawing, `${indent}  `),
  ]);
};

const headLine = (run: FlowRunInfo, { io, now }: Drawing): string => {
  const { text, paint } = statusCell(run, io.noteInk);
  const { usd } = run.cost;
  const facts = [formatDuration(now - run.createdAt), ...(usd > 0 ? [formatCost(usd)] : [])];
  return `${io.noteInk.bold(run.flow)} ${paint ? paint(text) : text} · ${facts.join(' · ')} · run ${run.id}`;
};

export interface RunView {
  draw(run: FlowRunInfo): Promise<void>;
  /** Hides the view while a question is open. */
  pause(on: boolean): void;
  /** Draws the last state. */
  end(run: FlowRunInfo): Promise<void>;
}

const UP = (lines: number): string => (lines > 0 ? `\u001b[${lines}A\r\u001b[0J` : '');

/** Cuts a line to the columns; a line that is cut loses its colours. */
const fitted = (line: string, columns: number): string => {
  const plain = stripVTControlCharacters(line);
  return textWidth(plain) <= columns ? line : cutToWidth(plain, columns);
};

class TerminalTree implements RunView {
  readonly #io: Io;
  readonly #reader: TreeReader;
  #drawn = 0;
  #isPaused = false;

  constructor(io: Io, reader: TreeReader) {
    this.#io = io;
    this.#reader = reader;
  }

  async draw(run: FlowRunInfo): Promise<void> {
    const { stderr } = this.#io;
    const rows = Math.max(4, (stderr.rows || 24) - 2);
    const lines = await this.#lines(run);
    if (this.#isPaused) return;
    const [head = '', ...steps] = lines;
    const left = steps.length - (rows - 2);
    const shown = left > 0 ? [head, `  … ${left} more above`, ...steps.slice(left)] : lines;
    this.#write(shown);
  }

  pause(on: boolean): void {
    this.#isPaused = on;
    if (on) this.#write([]);
  }

  async end(run: FlowRunInfo): Promise<void> {
    this.#write(await this.#lines(run));
    this.#drawn = 0;
  }

  async #lines(run: FlowRunInfo): Promise<readonly string[]> {
    const tree = await this.#reader.read(run.id);
    const drawing = { io: this.#io, now: this.#io.runtime.now() };
    return [headLine(run, drawing), ...stepLines(tree, drawing)];
  }

  #write(lines: readonly string[]): void {
    const columns = (this.#io.stderr.columns || 80) - 1;
    const text = lines.map((line) => `${fitted(line, columns)}\n`).join('');
    this.#io.stderr.write(`${UP(this.#drawn)}${text}`);
    this.#drawn = lines.length;
  }
}

/** Writes a line when a step reaches a state for the first time: for logs and pipes. */
class PlainLines implements RunView {
  readonly #io: Io;
  readonly #reader: TreeReader;
  readonly #states = new Map<string, string>();

  constructor(io: Io, reader: TreeReader) {
    this.#io = io;
    this.#reader = reader;
  }

  async draw(run: FlowRunInfo): Promise<void> {
    const now = this.#io.runtime.now();
    for (const step of flat(await this.#reader.read(run.id))) {
      const key = `${step.key} ${step.kind} ${step.startedAt}`;
      const state = `${step.state} ${step.approvalId ?? ''}`;
      if (this.#states.get(key) === state) continue;
      this.#states.set(key, state);
      const facts = stepFacts(step, now);
      note(this.#io, `${markOf(step, this.#io.noteInk)} ${visibleText(stepLabel(step))}  ${facts}`);
    }
  }

  pause(): void {}

  end(run: FlowRunInfo): Promise<void> {
    return this.draw(run);
  }
}

const SILENT: RunView = {
  draw: async () => undefined,
  pause: () => undefined,
  end: async () => undefined,
};

/** Chooses the view: none with `--json` or `--quiet`, a tree where lines can be redrawn. */
export const createRunView = (io: Io, crib: CribHost, isQuiet: boolean): RunView => {
  if (io.json || isQuiet) return SILENT;
  const reader = new TreeReader(crib);
  const canRedraw = io.stderr.isTTY === true && io.env.TERM !== 'dumb';
  return canRedraw ? new TerminalTree(io, reader) : new PlainLines(io, reader);
};
