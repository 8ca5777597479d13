/** Reports characters that do not belong into a path, command, URL, header or name. */
import type { Finding } from './violation.ts';

export type Report = (finding: Finding) => void;

const CONTROL: Finding = {
  type: 'injection',
  severity: 'high',
  description: 'The value holds control characters.',
  remedy: 'Send it in plain printable characters.',
};

const HEADER_BREAK: Finding = {
  type: 'injection',
  severity: 'high',
  description: 'A header-like value holds a line break, which would start another header.',
  remedy: 'Send the value on one line.',
};

const HIDDEN: Finding = {
  type: 'injection',
  severity: 'high',
  description: 'The value holds characters that hide or reorder what a person would read.',
  remedy: 'Send it without bidirectional controls, tag characters and runs of variation selectors.',
};

const INVISIBLE: Finding = {
  type: 'injection',
  severity: 'medium',
  description: 'The value holds invisible characters.',
  remedy: 'Make sure that the name is meant to hold them.',
};

const NOT_ASCII = /[^\p{ASCII}]/u;
const ANY_CONTROL = /\p{Cc}/u;
/** Commands may have several lines. A carriage return alone overwrites the line it stands in. */
const COMMAND_CONTROL = /[^\P{Cc}\t\r\n]|\r(?!\n|$)/u;
const SECOND_LINE = /[\r\n][^\r\n]/;
const HEADER_CONTROL = /[^\P{Cc}\t\r\n]/u;

const REORDERING = /[\u202a-\u202e\u2066-\u2069]/;
const TAG = /[\u{e0000}-\u{e007f}]/u;
const VARIATION_RUN = /(?:\p{Variation_Selector}){2}/u;
/** The flags of England, Scotland and Wales: the only tag sequences that are in use. */
const TAGGED_FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;

const IGNORABLE =
  /\u00ad|\u061c|\u115f|\u1160|\u180e|\u200b|[\u200e\u200f]|[\u2060-\u2064]|[\u206a-\u206f]|\u3164|\ufeff|\uffa0/;
/** Joiners hold emoji and the letters of several scripts together; beside ASCII they only hide. */
const LONE_JOINER = /(?:^|\p{ASCII})[\u200c\u200d]|[\u200c\u200d](?:\p{ASCII}|$)/u;

export const judgeHidden = (text: string, report: Report): void => {
  if (!NOT_ASCII.test(text)) return;
  const hides = REORDERING.test(text) || VARIATION_RUN.test(text);
  if (hides || TAG.test(text.replaceAll(TAGGED_FLAG, ''))) report(HIDDEN);
  else if (IGNORABLE.test(text) || LONE_JOINER.test(text)) report(INVISIBLE);
};

export const judgeControls = (text: string, report: Report): void => {
  if (ANY_CONTROL.test(text)) report(CONTROL);
};

export const judgeCommandControls = (text: string, report: Report): void => {
  if (COMMAND_CONTROL.test(text)) report(CONTROL);
};

export const judgeHeader = (text: string, report: Report): void => {
  if (SECOND_LINE.test(text)) report(HEADER_BREAK);
  if (HEADER_CONTROL.test(text)) report(CONTROL);
};
