/**
 * Runs the shell blocks of a page, line by line, from an empty folder, as the program does. Addresses of
 * the page are replaced by those of servers on this machine. `# text` behind a command is what its
 * answer holds.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { blocksOf } from './doc-blocks.ts';
import { runInProcess } from './quick-project.ts';

export interface Ran {
  readonly code: number;
  readonly text: string;
}

export interface PageOptions {
  /** Texts of the page, and what stands for them here. */
  readonly replace?: Readonly<Record<string, string>>;
  /** What a person types for `secrets set <key>`. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Files of the reader, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the line needs besides, e.g. another person. */
  readonly env?: (line: string) => Readonly<Record<string, string>>;
}

/** Programs of others in the pages: what they do is not ours to test. */
const FOREIGN = /^(?:npm install|npm publish|n8n) /;
/** Commands that ask a person, who would say yes. */
const ASKING = /^toolcrib team (?:approve|leave)\b/;

const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

export class PageRunner {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-page-')));
  readonly home = join(this.base, 'home');
  folder = join(this.base, 'project');
  readonly #page: string;
  readonly #options: PageOptions;
  readonly #replace: Map<string, string>;

  constructor(page: string, options: PageOptions = {}) {
    this.#page = page;
    this.#options = options;
    this.#replace = new Map(Object.entries(options.replace ?? {}));
    this.enter('project');
    for (const [path, text] of Object.entries(options.files ?? {})) this.write(path, text);
  }

  /** Goes on in another folder. */
  enter(name: string): void {
    this.folder = join(this.base, name);
    mkdirSync(this.folder, { recursive: true });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** From now on, `text` of the page stands for `other`. */
  replace(text: string, other: string): void {
    this.#replace.set(text, other);
  }

  replaced(text: string): string {
    return [...this.#replace].reduce((all, [from, to]) => all.replaceAll(from, to), text);
  }

  /** The commands of the blocks of the page, without those of other programs. */
  commands(...blocks: readonly number[]): readonly string[] {
    const all = blocksOf(this.#page, 'sh');
    const lines = all.filter((_, at) => blocks.length === 0 || blocks.includes(at));
    return lines
      .flatMap(({ code }) => code.split('\n'))
      .filter((line) => line !== '' && !FOREIGN.test(line));
  }

  async run(args: readonly string[], line = '', input = ''): Promise<Ran> {
    const env = {
      PATH: process.env.PATH,
      HOME: this.base,
      TOOLCRIB_HOME: this.home,
      NO_COLOR: '1',
      ...this.#options.env?.(line),
    };
    const { code, out, err } = await runInProcess(args, { cwd: this.folder, env, input });
    return { code: code ?? 0, text: out + err };
  }

  /** Runs a line of the page: it has to succeed, and to show what the page says. */
  async follow(line: string): Promise<string> {
    const [typed = '', promise] = line.split(/\s+# /);
    if (!typed.startsWith('toolcrib ')) throw new Error(`not a command of ours: ${line}`);
    const [, ...args] = wordsOf(this.replaced(typed));
    const [, key] = /^toolcrib secrets set (\S+)/.exec(typed) ?? [];
    const input = key === undefined ? '' : (this.#options.secrets?.[key] ?? '');
    const { code, text } = await this.run(
      [...args, ...(ASKING.test(typed) ? ['--yes'] : [])],
      line,
      input,
    );
    expect([line, code, text]).toEqual([
      ...[line, 0],
      expect.stringContaining(this.replaced(promise ?? '')),
    ]);
    return text;
  }

  async followAll(...blocks: readonly number[]): Promise<void> {
    for (const line of this.commands(...blocks)) await this.follow(line);
  }

  close(): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}
