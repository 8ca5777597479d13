/** Schemas of text that becomes one word of a command: a single line, and never an option. */
import { z } from 'zod';

/** Controls, line separators and direction marks: what reads differently to people and programs. */
const ODD = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** One line without control characters. */
export const oneLine = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !ODD.test(text), 'One line without control characters.');

/** The same, and it cannot be taken for an option. */
export const operand = (maxLength: number) =>
  oneLine(maxLength).refine((text) => !text.startsWith('-'), 'It must not start with a dash.');
