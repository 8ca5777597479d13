/** Reads which file a redirection opens and how. Copies of the three standard streams open none. */
import type { HereDoc, Redirection, RedirectOperator, Word } from 'unbash';
import { refuse } from '../refusal.ts';
import type { ShellStep } from '../token.ts';
import type { Span } from './account-for-text.ts';
import { readWord, type WordScope } from './shell-word.ts';

export interface RedirectReader {
  readonly scope: WordScope;
  readonly recordSpan: (span: Span) => void;
  readonly add: (step: ShellStep) => void;
}

const STANDARD = /^[012]$/;

const unclear = (): never =>
  refuse(
    'A redirection uses descriptors or a form that cannot be judged.',
    'Redirect to a named file, or between descriptors 0, 1 and 2.',
  );

/** Reads a here-document with a plain delimiter, so that bash must find the same end. */
const readHereDoc = (doc: HereDoc, { recordSpan, scope }: RedirectReader): void => {
  const { delimiter, closing, body, operator } = doc;
  if (delimiter === undefined || closing === undefined) return void unclear();
  const isPlain = /^(?:\w+|'\w+'|"\w+")$/.test(delimiter.text);
  const strip = operator === '<<-' ? /^\t+/ : /^(?!)/;
  const ends = scope.source.slice(closing.pos, closing.end).replace(strip, '') === delimiter.value;
  const lines = body.text.split('\n').map((line) => line.replace(strip, ''));
  const isWhole = scope.source.slice(body.pos, body.end) === body.text;
  if (!isPlain || !ends || !isWhole || lines.includes(delimiter.value)) unclear();
  if (!delimiter.quoted && /[$`\\]/.test(body.text)) {
    refuse('A here-document holds expansions.', "Quote its delimiter: <<'END'.");
  }
  recordSpan({ pos: delimiter.pos, end: delimiter.end, isWord: true });
  recordSpan({ pos: body.pos, end: body.end, isWord: false });
  recordSpan({ pos: closing.pos, end: closing.end, isWord: false });
};

/** Reads a redirection: `>&1` copies a stream, `>&file` opens a file, other numbers are refused. */
const readFile = (operator: RedirectOperator, target: Word, reader: RedirectReader): void => {
  const isCopy = operator === '>&' || operator === '<&';
  if (isCopy && STANDARD.test(target.text)) return;
  if (operator === '<&' || (isCopy && /^[\d-]/.test(target.text))) unclear();
  const values = readWord(target, reader.scope);
  const isRead = operator === '<' || operator === '<>';
  if (isRead) reader.add({ type: 'redirect', access: 'read', target: values });
  if (operator !== '<') reader.add({ type: 'redirect', access: 'write', target: values });
};

export const readRedirect = (redirect: Redirection, reader: RedirectReader): void => {
  const { descriptor } = redirect;
  if (descriptor !== undefined) {
    const text = reader.scope.source.slice(descriptor.pos, descriptor.end);
    if (!STANDARD.test(text)) unclear();
    reader.recordSpan({ pos: descriptor.pos, end: descriptor.end, isWord: false });
  }
  if (redirect.type === 'HereDoc') return void readHereDoc(redirect, reader);
  const { target } = redirect;
  if (target === undefined) return void unclear();
  reader.recordSpan({ pos: target.pos, end: target.end, isWord: true });
  if (redirect.type === 'Redirect') readFile(redirect.operator, target, reader);
  else readWord(target, { ...reader.scope, splits: false });
};
