/** Schemas of text that becomes one word of a command: a single line that cannot be read as an option. */
import { z } from 'zod';

/** Matches controls, line separators and direction marks, which people and programs read differently. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** Makes a schema of one line without control characters. */
export const oneLine = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !UNSAFE.test(text), 'One line without control characters.');

/** Makes a schema of one line that cannot be read as an option. */
export const operand = (maxLength: number) =>
  oneLine(maxLength).refine((text) => !text.startsWith('-'), 'It must not start with a dash.');
