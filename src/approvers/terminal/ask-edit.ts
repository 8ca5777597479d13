/** "Edit, then approve": takes another input for the call, shows what is different, asks again. */
import type { Decision } from '../../contract/approver.ts';
import { visibleItem, visibleJson } from '../../kit/text/visible-text.ts';
import { inputDifference } from './shown-value.ts';
import { agrees, ask, type ReadInput, say, sayIndented, type Talk } from './terminal-dialog.ts';

const TRIES = 3;

/** Line by line, up to an empty one. `undefined` at the end of all input. */
const typedText = async (talk: Talk): Promise<string | undefined> => {
  const lines: string[] = [];
  for (;;) {
    const line = await ask(talk, lines.length === 0 ? 'new input, as JSON' : '…');
    if (line === undefined) return undefined;
    if (line.trim() === '') return lines.join('\n');
    lines.push(line);
  }
};

const newInput = async (
  talk: Talk,
  read: (text: string) => ReadInput,
): Promise<{ readonly value: unknown } | undefined> => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const text = await typedText(talk);
    if (text === undefined || text === '') return undefined;
    const found = read(text);
    if ('value' in found) return found;
    sayIndented(talk, visibleItem(found.fault));
  }
  return undefined;
};

/** `undefined` goes back to the question. The new input is checked like one that was sent. */
export const askEdit = async (
  talk: Talk,
  read: (text: string) => ReadInput,
): Promise<Pick<Decision, 'answer' | 'input'> | undefined> => {
  const { input } = talk.request;
  const written = visibleJson(JSON.stringify(input, null, 2) ?? 'null').split('\n');
  say(talk, '  The input as it is:', ...written.map((line) => `    ${line}`), '');
  say(talk, '  Type or paste all of the new one; an empty line ends it, at once = back.');
  const edited = await newInput(talk, read);
  if (!edited) return undefined;
  const difference = inputDifference(input, edited.value);
  if (difference.length === 0) {
    say(talk, '  That is the same input: nothing is changed.');
    return undefined;
  }
  say(talk, '', '  Different from what was asked for:');
  sayIndented(talk, ...difference);
  if (!(await agrees(talk, 'Run the call with this input instead, once?'))) return undefined;
  return { answer: 'approve', input: edited.value };
};
