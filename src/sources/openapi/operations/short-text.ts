/** Shortens texts of a document for models: one line, no hidden characters, no more than a limit. */
import { visibleText } from '../../../kit/text/visible-text.ts';

const SPACE = /\s+/g;
const LINKS = /\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g;
const TAGS = /<\/?[a-z][^<>]{0,200}>/gi;

/** Shortens a text; '' for anything else. */
export const shortText = (text: unknown, maxLength: number): string => {
  if (typeof text !== 'string') return '';
  // Cut first, because cleaning what is cut later would only take time.
  const line = text
    .slice(0, maxLength * 4)
    .replace(TAGS, '')
    .replace(LINKS, '$1')
    .replace(SPACE, ' ')
    .trim();
  const shown = visibleText(
    line.length > maxLength ? `${line.slice(0, maxLength - 1).trimEnd()}…` : line,
  );
  return shown.length > maxLength * 2 ? shown.slice(0, maxLength * 2) : shown;
};
