/** Runs `toolcrib top` on a terminal: reads every few seconds, redraws, and answers keys until `q`. */
import type { Timer } from '../../../contract/runtime.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { Io } from '../../io.ts';
import { drawTop } from './draw-top.ts';
import { openScreen } from './live-screen.ts';
import type { TopSort } from './screen-text.ts';
import { callsBetween, readSnapshot, type TopSnapshot, type TopSource } from './top-snapshot.ts';

const MAX_RATES = 120;

const SORT_KEYS: ReadonlyMap<string, TopSort> = new Map([
  ['c', 'calls'],
  ['f', 'failed'],
  ['t', 'time'],
  ['m', 'cost'],
  ['n', 'name'],
]);

/** Ctrl-C, which a terminal in raw mode sends as a character, and Ctrl-D. */
const QUIT_KEYS: ReadonlySet<string> = new Set(['q', 'Q', '\u0003', '\u0004']);

export interface WatchOptions {
  readonly intervalMs: number;
  readonly sort: TopSort;
  /**
   * Returns the source to read from after a failed reading: a server may have stopped, or moved to
   * another port.
   */
  reopen?(): Promise<TopSource>;
  /** Resolves on a signal that ends a command. */
  readonly ended: Promise<void>;
}

interface First extends Pick<WatchOptions, 'sort' | 'reopen'> {
  readonly snapshot: TopSnapshot;
}

class Watching {
  readonly #io: Io;
  #source: TopSource;
  readonly #reopen: WatchOptions['reopen'];
  readonly #screen: ReturnType<typeof openScreen>;
  #sort: TopSort;
  #snapshot: TopSnapshot;
  #rates: readonly number[] = [];
  #problem: string | undefined = undefined;
  #isPaused = false;
  #showsHelp = false;
  #isLooking = false;

  constructor(io: Io, source: TopSource, first: First) {
    this.#io = io;
    this.#source = source;
    this.#snapshot = first.snapshot;
    this.#sort = first.sort;
    this.#reopen = first.reopen;
    this.#screen = openScreen(io);
  }

  draw(): void {
    this.#screen.show(
      drawTop(
        this.#snapshot,
        {
          ...this.#screen.size(),
          sort: this.#sort,
          isPaused: this.#isPaused,
          showsHelp: this.#showsHelp,
          rates: this.#rates,
          ...(this.#problem !== undefined && { problem: this.#problem }),
        },
        this.#io.ink,
      ),
    );
  }

  resized(): void {
    this.#screen.forget();
    this.draw();
  }

  /** Reads again. Never rejects: a store or server that does not answer now may do so later. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if (this.#problem !== undefined && this.#reopen) this.#source = await this.#reopen();
      const next = await readSnapshot(this.#source, this.#io.runtime.now());
      const seconds = Math.max(0.001, (next.at - this.#snapshot.at) / 1000);
      const rate = callsBetween(this.#snapshot, next) / seconds;
      this.#rates = [...this.#rates, rate].slice(-MAX_RATES);
      this.#snapshot = next;
      this.#problem = undefined;
    } catch (error) {
      this.#problem = reasonOf(error);
    }
    this.#isLooking = false;
    this.draw();
  }

  tick(): void {
    if (!this.#isPaused) void this.look();
  }

  press(key: string): void {
    const sort = SORT_KEYS.get(key);
    if (sort) this.#sort = sort;
    if (key === 'p' || key === ' ') this.#isPaused = !this.#isPaused;
    if (key === '?' || key === 'h') this.#showsHelp = !this.#showsHelp;
    if (key === 'r') void this.look();
    this.draw();
  }

  close(): void {
    this.#screen.close();
  }
}

/** Resolves when the person leaves, or a signal ends the command. */
export const watchTop = async (
  io: Io,
  source: TopSource,
  { intervalMs, ended, ...chosen }: WatchOptions,
): Promise<void> => {
  const snapshot = await readSnapshot(source, io.runtime.now());
  const watching = new Watching(io, source, { snapshot, ...chosen });
  let quit: () => void = () => undefined;
  const left = new Promise<void>((resolve) => {
    quit = resolve;
  });
  const onKeys = (typed: Buffer | string): void => {
    for (const key of String(typed)) {
      if (QUIT_KEYS.has(key)) quit();
      else watching.press(key);
    }
  };
  const onResize = (): void => watching.resized();
  let timer: Timer | undefined;
  const schedule = (): void => {
    timer = io.runtime.after(intervalMs, () => {
      watching.tick();
      schedule();
    });
  };
  schedule();
  io.stdin.on('data', onKeys).once('end', quit);
  io.stdout.on('resize', onResize);
  try {
    watching.draw();
    await Promise.race([left, ended]);
  } finally {
    timer?.cancel();
    io.stdout.off('resize', onResize);
    io.stdin.off('data', onKeys).off('end', quit).pause();
    watching.close();
  }
};
