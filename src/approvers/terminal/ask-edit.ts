/** "Edit, then approve": takes another input for the call, shows what is different, asks again. */
import type { Decision } from '../../contract/approver.ts';
import { visibleItem, visibleJson } from '../../kit/text/visible-text.ts';
import { inputDifference } from './shown-value.ts';
import { agrees, ask, type Dialog, type ReadInput, say, sayIndented } from './terminal-dialog.ts';

const MAX_TRIES = 3;

/** Reads lines up to an empty one; `undefined` when the input ends. */
const typedText = async (dialog: Dialog): Promise<string | undefined> => {
  const lines: string[] = [];
  for (;;) {
    const line = await ask(dialog, lines.length === 0 ? 'new input, as JSON' : '…');
    if (line === undefined) return undefined;
    if (line.trim() === '') return lines.join('\n');
    lines.push(line);
  }
};

const newInput = async (
  dialog: Dialog,
  read: (text: string) => ReadInput,
): Promise<{ readonly value: unknown } | undefined> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const text = await typedText(dialog);
    if (text === undefined || text === '') return undefined;
    const parsed = read(text);
    if ('value' in parsed) return parsed;
    sayIndented(dialog, visibleItem(parsed.fault));
  }
  return undefined;
};

/** Asks for a new input; `undefined` goes back to the question. The pipeline checks it like any other. */
export const askEdit = async (
  dialog: Dialog,
  read: (text: string) => ReadInput,
): Promise<Pick<Decision, 'answer' | 'input'> | undefined> => {
  const { input } = dialog.request;
  const written = visibleJson(JSON.stringify(input, null, 2) ?? 'null').split('\n');
  say(dialog, '  The input as it is:', ...written.map((line) => `    ${line}`), '');
  say(
    dialog,
    '  Type or paste the whole new input; end with an empty line. An empty line at once goes back.',
  );
  const edited = await newInput(dialog, read);
  if (!edited) return undefined;
  const difference = inputDifference(input, edited.value);
  if (difference.length === 0) {
    say(dialog, '  That is the same input: nothing is changed.');
    return undefined;
  }
  say(dialog, '', '  Different from what was asked for:');
  sayIndented(dialog, ...difference);
  if (!(await agrees(dialog, 'Run the call with this input instead, once?'))) return undefined;
  return { answer: 'approve', input: edited.value };
};
