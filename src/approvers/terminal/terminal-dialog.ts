/** Writes to the person at the terminal and reads their answers. */
import type { ApprovalRequest } from '../../contract/approver.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { LineReader } from './line-reader.ts';
import { wrapLine } from './shown-value.ts';

/** A new input that could be read, or where and why it could not. */
export type ReadInput = { readonly value: unknown } | { readonly fault: string };

export interface TerminalApproverOptions {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
  /** Who answers, for the audit trail. */
  readonly by: string;
  readonly colour?: boolean;
  /** Ignores what is typed sooner than this after the page appears: it was meant for something else. */
  readonly settleMs?: number;
  /** Called when a question opens and closes, so that nothing else draws on the terminal meanwhile. */
  onQuestion?(open: boolean): void;
  /** Reads an input that was typed as JSON; without it inputs cannot be edited here. */
  readInput?(text: string): ReadInput;
  /** Says what is wrong with a condition; `undefined` when it can be used. */
  checkCondition?(condition: string): Promise<string | undefined>;
}

export interface Dialog {
  readonly options: TerminalApproverOptions;
  readonly request: ApprovalRequest;
  readonly reader: LineReader;
}

const SETTLE_MS = 250;

export const say = ({ options }: Pick<Dialog, 'options'>, ...lines: readonly string[]): void => {
  options.output.write(`${lines.join('\n')}\n`);
};

/** Asks for a line; `undefined` when the input has ended. */
export const ask = ({ options, reader }: Dialog, prompt: string): Promise<string | undefined> => {
  options.output.write(`  ${prompt} > `);
  return reader.next();
};

/** Waits until the page can be seen, and drops what was typed before. */
export const settle = async ({ options, reader }: Dialog): Promise<void> => {
  await new Promise<void>((resolve) => {
    options.runtime.after(options.settleMs ?? SETTLE_MS, resolve);
  });
  reader.forget();
};

/** Asks for the final yes. Only one typed after the question was on the screen counts. */
export const agrees = async (dialog: Dialog, question: string): Promise<boolean> => {
  await settle(dialog);
  const line = await ask(dialog, `${question} y = yes · n = no, back`);
  return line !== undefined && /^y(?:es)?$/i.test(line.trim());
};

/** Reads the size of the terminal, which is 0 where it is unknown. */
export const sizeOf = ({
  output,
}: TerminalApproverOptions): { readonly columns: number; readonly rows: number } => ({
  columns: Math.max(40, output.columns || 80),
  rows: output.rows || 24,
});

/** Writes lines that are safe to show, indented, and broken before the terminal does it. */
export const sayIndented = (dialog: Dialog, ...lines: readonly string[]): void => {
  const width = sizeOf(dialog.options).columns - 4;
  say(dialog, ...lines.flatMap((line) => wrapLine(line, width)).map((piece) => `    ${piece}`));
};
