/**
 * The lines typed before, in a file of the user's own that nobody else may read. A line that looks as if
 * it held a secret is not kept, neither there nor for the arrow keys.
 */
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface History {
  /** Newest first, as readline takes them. */
  readonly lines: readonly string[];
  add(line: string): Promise<void>;
}

const KEPT = 1000;

const SECRET_WORD =
  /passw(?:or)?d|passphrase|secret|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key|token|auth(?:orization|entication)?\b|bearer|cookie|session[-_.]?id|\bpin\b|\botp\b/i;
const SECRET_SHAPE =
  /(?:\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|gh[pousr]_\w+|github_pat_\w+|glpat-\S+|AKIA\w{8,}|ASIA\w{8,}|AIza\S+|xox[a-z]-\S+|eyJ[\w-]+\.|hf_\w{8,}|-----BEGIN|:\/\/[^\s/@:]+:[^\s/@]+@)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Long runs that no person would type as a word. */
const isRandom = (word: string): boolean =>
  word.length >= 20 && !UUID.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word);

/** False when in doubt: a line that is missing costs little. A blank in front keeps a line out, too. */
export const isKeepable = (line: string): boolean =>
  !/^\s/.test(line) &&
  !/^\/secrets\b/.test(line) &&
  !SECRET_WORD.test(line) &&
  !SECRET_SHAPE.test(line) &&
  !line.split(/[^A-Za-z0-9+/_-]+/).some(isRandom);

const read = async (file: string): Promise<readonly string[]> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '' && isKeepable(line));
};

/** Never fails: a shell without a history is still a shell. */
export const openHistory = async (file: string): Promise<History> => {
  const old = (await read(file)).slice(-KEPT);
  const lines = old.toReversed();
  const mode = 0o600;
  let ready: Promise<boolean> | undefined;
  const prepare = async (): Promise<boolean> => {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, old.map((line) => `${line}\n`).join(''), { mode });
      // The mode above counts for a new file only.
      await chmod(file, mode);
      return true;
    } catch {
      return false;
    }
  };
  return {
    lines,
    add: async (given) => {
      const line = given.trimEnd().replaceAll(/\s*\n\s*/g, ' ');
      if (line === '' || !isKeepable(line) || line === lines[0]) return;
      lines.unshift(line);
      ready ??= prepare();
      if (await ready) await appendFile(file, `${line}\n`, { mode }).catch(() => undefined);
    },
  };
};
