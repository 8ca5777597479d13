/**
 * Lists the files and folders that an allowed command names, so that an approval can be bound to
 * them: those its rules know, and every other word that names something that exists.
 */
import { lstatSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { PathUse } from '../../contract/path-state.ts';
import { segmentsBelow } from '../../kit/file/segments-below.ts';
import type { CommandVerdict } from './command-guard.ts';
import { ruleOf } from './program-rules/program-rules.ts';
import { plainProgramName } from './program-rules/refused-programs.ts';

type Allowed = Extract<CommandVerdict, { readonly ok: true }>;

const PACKAGE = ['package.json'];
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

/** Programs that run what a file of their folder says. */
const SCRIPT_FILES: ReadonlyMap<string, readonly string[]> = new Map([
  ['npm', PACKAGE],
  ['pnpm', PACKAGE],
  ['yarn', PACKAGE],
  ['bun', PACKAGE],
  ['npx', PACKAGE],
  ['make', MAKEFILES],
  ['gmake', MAKEFILES],
  ['just', ['justfile', 'Justfile', '.justfile']],
  ['task', ['Taskfile.yml', 'Taskfile.yaml']],
  ['rake', ['Rakefile', 'rakefile']],
  ['deno', ['deno.json', 'deno.jsonc', 'package.json']],
  ['cargo', ['Cargo.toml', 'build.rs']],
  ['tox', ['tox.ini']],
  ['composer', ['composer.json']],
]);

/** The use with the larger weight counts when a path is named twice. */
const WEIGHT: Readonly<Record<PathUse, number>> = { named: 0, changed: 1, run: 2 };

const statsOf = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A word that no file can be called.
    return undefined;
  }
};

/** Lists the names in a word: the word itself, and the value attached to an option. */
const namesIn = (word: string): readonly string[] => {
  if (!word.startsWith('-')) return [word, ...word.split('=').slice(1)];
  return word.includes('=') ? [word.slice(word.indexOf('=') + 1)] : [word.slice(2)];
};

const isExecutable = ({ mode }: Stats): boolean => (mode & 0o111) !== 0;

class PathList {
  readonly #uses = new Map<string, PathUse>();
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  add(path: string, use: PathUse): void {
    if (segmentsBelow(this.#root, path) === undefined) return;
    const before = this.#uses.get(path);
    if (before === undefined || WEIGHT[before] < WEIGHT[use]) this.#uses.set(path, use);
  }

  /** Adds the path of a word. A missing file counts when the word names a folder that exists. */
  addWord(path: string, name: string, runs: boolean): void {
    const stats = statsOf(path);
    if (stats?.isFile()) this.add(path, runs || isExecutable(stats) ? 'run' : 'named');
    else if (stats || (name.includes('/') && statsOf(dirname(path)))) this.add(path, 'named');
  }

  get entries() {
    return [...this.#uses].map(([path, use]) => ({ path, use }));
  }
}

/** Tells whether a program may run its arguments: it has no rules, or it starts others. */
const mayRunFiles = ([program = '']: readonly string[]): boolean => {
  const rule = ruleOf(plainProgramName(program));
  return rule === undefined || rule.wraps !== undefined;
};

const addCommand = (words: readonly string[], folder: string, list: PathList): void => {
  const runs = mayRunFiles(words);
  for (const word of words) {
    for (const name of namesIn(word)) {
      if (name !== '') list.addWord(resolve(folder, name), name, runs);
    }
    for (const file of SCRIPT_FILES.get(plainProgramName(word)) ?? []) {
      list.addWord(join(folder, file), file, true);
    }
  }
};

/** Lists each path once, absolute, with what the command does with it. */
export const commandPaths = (
  { commands, reads, writes, folders }: Allowed,
  root: string,
): readonly { readonly path: string; readonly use: PathUse }[] => {
  const list = new PathList(root);
  // The names of branches and commits are among them; those that are no path say nothing.
  for (const path of reads) list.addWord(path, folders.includes(dirname(path)) ? '' : path, false);
  for (const path of writes) list.add(path, 'changed');
  for (const words of commands) {
    for (const folder of folders) addCommand(words, folder, list);
  }
  return list.entries;
};
