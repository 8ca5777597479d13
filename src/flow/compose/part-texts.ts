/** Describes a composed tool by its parts. */
import type { Tool } from '../../contract/tool.ts';

const MAX_DESCRIPTION = 1000;
const MAX_NAMES = 10;

/** Lists names; the rest of a long list is counted. */
export const listText = (names: readonly string[], between: string): string => {
  const shown = names.slice(0, MAX_NAMES);
  const more = names.length - shown.length;
  return `${shown.join(between)}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Gives the description of each part, as long as there is room. */
export const partTexts = (parts: readonly Tool[]): string => {
  const distinct = [...new Map(parts.map((part) => [part.name, part])).values()];
  const text = distinct.map(({ name, description }) => `${name}: ${description}`).join(' ');
  return text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION)}…` : text;
};
