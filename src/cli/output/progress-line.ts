/** Shows one line on the terminal about work that takes longer than a second. */
import type { Runtime, Timer } from '../../contract/runtime.ts';
import { cutToWidth } from '../../kit/text/text-width.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import type { Io } from '../io.ts';
import { formatDuration } from './format-units.ts';

const UPDATE_MS = 1000;
const CLEAR = '\r\u001b[2K';

/** Runs the work. After a second, a line on stderr says what it is and how long it has taken. */
export const whileShown = async <T>(
  io: Io,
  what: string | (() => string),
  work: () => Promise<T>,
): Promise<T> => {
  if (io.stderr.isTTY !== true) return work();
  const { runtime } = io;
  const from = runtime.elapsed();
  let isShown = false;
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = runtime.after(UPDATE_MS, () => {
      isShown = true;
      const seconds = Math.round((runtime.elapsed() - from) / 1000);
      const text = typeof what === 'string' ? what : what();
      io.stderr.write(`${CLEAR}${io.noteInk.dim(`${text}: ${seconds} s`)}`);
      wait();
    });
    timer?.keepAlive(false);
  };
  wait();
  try {
    return await work();
  } finally {
    timer?.cancel();
    if (isShown) io.stderr.write(CLEAR);
  }
};

export interface ProgressLine {
  update(fraction: number, note: string | undefined): void;
  /** Hides the line while something else writes, and shows it again. */
  pause(on: boolean): void;
  stop(): void;
}

interface ProgressOptions {
  readonly output: NodeJS.WriteStream;
  readonly runtime: Pick<Runtime, 'elapsed' | 'after'>;
  readonly label: string;
}

const FIRST_DRAW_MS = 1000;
const FRAME_MS = 120;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

export const startProgress = ({ output, runtime, label }: ProgressOptions): ProgressLine => {
  const start = runtime.elapsed();
  let state = '';
  let frame = 0;
  let paused = false;
  let drawn = false;
  const clear = () => {
    if (drawn) output.write(CLEAR);
    drawn = false;
  };
  const draw = () => {
    timer = next(FRAME_MS);
    if (paused) return;
    frame = (frame + 1) % FRAMES.length;
    const time = formatDuration(runtime.elapsed() - start);
    const line = `${FRAMES[frame]} ${label} · ${time}${state}`;
    output.write(CLEAR + cutToWidth(line, (output.columns || 80) - 1));
    drawn = true;
  };
  const next = (ms: number): Timer => {
    const scheduled = runtime.after(ms, draw);
    scheduled.keepAlive(false);
    return scheduled;
  };
  let timer = next(FIRST_DRAW_MS);
  return {
    update: (fraction, note) => {
      const text = note === undefined ? '' : ` · ${visibleText(note)}`;
      state = ` · ${Math.round(Math.min(Math.max(fraction, 0), 1) * 100)} %${text}`;
    },
    pause: (on) => {
      paused = on;
      if (on) clear();
    },
    stop: () => {
      timer.cancel();
      clear();
    },
  };
};

/** Starts a progress line on stderr; `undefined` without a terminal that can clear lines. */
export const progressOn = (
  { stderr, env, runtime }: Pick<Io, 'stderr' | 'env' | 'runtime'>,
  label: string,
): ProgressLine | undefined =>
  stderr.isTTY === true && env.TERM !== 'dumb'
    ? startProgress({ output: stderr, runtime, label })
    : undefined;

/** Shows a progress line while the work lasts. */
export const withProgress = async <T>(io: Io, label: string, work: Promise<T>): Promise<T> => {
  const line = progressOn(io, label);
  try {
    return await work;
  } finally {
    line?.stop();
  }
};
