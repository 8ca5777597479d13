/** Follows a file to which programs append a line for each effect: `<effect> <pid>`. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

export interface EffectsFile {
  /** Reads what was appended since the last look. */
  look(): void;
  /** All effects, in the order in which they happened. */
  readonly effects: readonly string[];
  /** The number of effects of a process. */
  of(pid: number | undefined): number;
  /** The effects that happened more than once. */
  twice(): readonly string[];
}

const MAX_CHUNK = 1 << 20;

export const followEffects = (root: string): EffectsFile => {
  const path = join(root, 'effects.txt');
  const effects: string[] = [];
  const counts = new Map<number, number>();
  let offset = 0;
  let rest = '';
  const take = (line: string): void => {
    const [effect = '', pid] = line.split(' ');
    effects.push(effect);
    counts.set(Number(pid), (counts.get(Number(pid)) ?? 0) + 1);
  };
  const look = (): void => {
    if (!existsSync(path)) return;
    const file = openSync(path, 'r');
    const chunk = Buffer.alloc(MAX_CHUNK);
    for (;;) {
      const size = readSync(file, chunk, 0, MAX_CHUNK, offset);
      if (size === 0) break;
      offset += size;
      const lines = (rest + chunk.toString('utf8', 0, size)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    }
    closeSync(file);
  };
  return {
    effects,
    look,
    of: (pid) => counts.get(pid ?? -1) ?? 0,
    twice: () => {
      const seen = new Set<string>();
      return effects.filter((effect) => seen.size === seen.add(effect).size);
    },
  };
};
