/** Writes lines for a person at a terminal: time, level, message, then the fields as `name=value`. */
import { visibleText } from '../../kit/text/visible-text.ts';
import type { LineLevel, LogSink } from './log-line.ts';

type Paint = (text: string) => string;

export interface PrettySinkOptions {
  write(text: string): void;
  /** The colours of the levels, and the one of less important text. */
  readonly paint: Readonly<Record<LineLevel | 'dim', Paint>>;
  /** False for commands that end soon. */
  readonly withTime: boolean;
  /** Writes equal lines once, for commands that would repeat them. */
  readonly onlyOnce?: boolean;
}

/** Matches values that need no quotes, because nothing in them could be taken for the next field. */
const PLAIN = /^[\w.:/@+-]+$/;

const valueText = (value: unknown): string =>
  typeof value === 'string' && PLAIN.test(value) ? value : (JSON.stringify(value) ?? 'null');

const fieldTexts = (fields: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(fields).map(
    ([name, value]) => `${PLAIN.test(name) ? name : JSON.stringify(name)}=${valueText(value)}`,
  );

const clockOf = (time: number): string => new Date(time).toISOString().slice(11, 23);

export const createPrettySink = (options: PrettySinkOptions): LogSink => {
  const { paint, withTime } = options;
  const written = new Set<string>();
  return {
    write: ({ time, level, message, fields }) => {
      const text = visibleText(message);
      const rest = fieldTexts(fields).map((field) => ` ${visibleText(field)}`);
      const line = `${level}: ${text}${rest.join('')}`;
      if (written.has(line)) return;
      if (options.onlyOnce) written.add(line);
      const clock = withTime ? `${paint.dim(clockOf(time))} ` : '';
      options.write(`${clock}${paint[level](`${level}:`)} ${text}${paint.dim(rest.join(''))}\n`);
    },
  };
};
