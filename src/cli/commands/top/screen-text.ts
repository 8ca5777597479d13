/** Parts of the screen of `toolcrib top`: what it shows, coloured parts of a line, and cutting them. */
import type { Colors } from 'picocolors/types.js';
import { cutToWidth, textWidth } from '../../../kit/text/text-width.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';

export const SORTS = ['calls', 'failed', 'time', 'cost', 'name'] as const;
export type TopSort = (typeof SORTS)[number];

export interface TopView {
  readonly columns: number;
  readonly rows: number;
  readonly sort: TopSort;
  readonly isPaused: boolean;
  readonly showsHelp: boolean;
  /** Calls a second at the last readings, oldest first. */
  readonly rates: readonly number[];
  /** Why the last reading failed. */
  readonly problem?: string;
}

export interface Part {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/**
 * Joins parts to one line that is no wider than the screen. Colour is added after cutting. A foreign
 * server may send texts instead of numbers, so control characters of every part are made visible.
 */
export const joined = (parts: readonly Part[], columns: number): string => {
  let left = columns;
  let line = '';
  for (const { text, paint } of parts) {
    const shown = cutToWidth(visibleText(text), left);
    if (left <= 0) break;
    left -= textWidth(shown);
    line += paint ? paint(shown) : shown;
  }
  return line.trimEnd();
};

export const rateInk = (rate: number, ink: Colors): Colors['red'] | undefined => {
  if (rate >= 0.1) return ink.red;
  return rate > 0.01 ? ink.yellow : undefined;
};

export const painted = (text: string, paint: Part['paint'] | undefined): Part =>
  paint ? { text, paint } : { text };
