/**
 * The source of composed tools: files with `type: composed` beside the other custom tools, under the
 * same trust. It is loaded after all other tools, because it is built from them, and again when one
 * of them has changed.
 */
import type { Issue } from '../../contract/errors.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Source } from '../../contract/source.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { nearestName } from '../../kit/text/did-you-mean.ts';
import { fileTag } from './build-tool.ts';
import type { ComposedFile, ComposedFiles } from './composed-file.ts';
import type { FileProblem } from './file-problem.ts';

/** What a composed tool is built from. */
export interface ComposedDeps {
  find(name: string): Tool | undefined;
  /** Gives the name that was probably meant. */
  suggest(name: string): string | undefined;
  /** Is told of what is probably a mistake, though it can be run. */
  warn(issue: Issue): void;
}

/** Builds the tool of a definition. Throws a ToolFailure whose issues have the path of each fault. */
export type BuildComposed = (definition: unknown, deps: ComposedDeps) => Tool | Promise<Tool>;

export interface ComposedSourceOptions {
  readonly files: Pick<ComposedFiles, 'all' | 'onChange'>;
  readonly build: BuildComposed;
  /** Finds a tool of the catalog. */
  find(name: string): Tool | undefined;
  /** Lists names of the catalog that are spelt alike, the nearest first. */
  suggest(name: string): readonly string[];
  /** Calls back with the name of each tool that is registered, replaced or removed. */
  onToolChange(changed: (name: string) => void): () => void;
  report(problem: FileProblem): void;
}

interface Built {
  readonly text: string;
  readonly tool: Tool;
  /** The very objects it was built from. */
  readonly parts: ReadonlyMap<string, Tool | undefined>;
}

const problemsOf = (
  { file, positionOf }: ComposedFile,
  thrown: unknown,
): readonly FileProblem[] => {
  const issues: readonly Issue[] =
    thrown instanceof ToolFailure ? (thrown.extras.issues ?? []) : [];
  if (issues.length === 0) return [{ file, ...positionOf([]), message: reasonOf(thrown) }];
  return issues.map((issue) => problemOf({ file, positionOf }, issue));
};

const problemOf = (
  { file, positionOf }: Pick<ComposedFile, 'file' | 'positionOf'>,
  { path, message }: Issue,
): FileProblem => ({
  file,
  ...positionOf(path),
  message: path.length === 0 ? message : `${path.join('.')}: ${message}`,
});

const namesIn = (value: unknown): readonly string[] => {
  if (!isRecord(value)) return [];
  const own = typeof value.tool === 'string' ? [value.tool] : [];
  const { errorHandling } = value;
  return [...own, ...(isRecord(errorHandling) ? namesIn(errorHandling.fallback) : [])];
};

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Lists the tools that a definition names, whatever else is wrong with it. */
const toolsIn = ({ value }: ComposedFile): readonly string[] => {
  if (!isRecord(value)) return [];
  const { composition, dependencies } = value;
  const { errorHandling, steps } = isRecord(composition) ? composition : {};
  return [{ errorHandling }, ...listIn(steps), ...listIn(dependencies)].flatMap(namesIn);
};

const nameOf = ({ value }: ComposedFile): string =>
  isRecord(value) && typeof value.name === 'string' ? value.name : '';

/** Puts files after those whose tools they use; what is left when no file can come next is a circle. */
const inOrder = (files: readonly ComposedFile[]) => {
  const ordered: ComposedFile[] = [];
  let left = [...files];
  for (;;) {
    const open = new Set(left.map(nameOf));
    const next = left.filter((file) => !toolsIn(file).some((name) => open.has(name)));
    if (next.length === 0) return { ordered, circular: left };
    ordered.push(...next);
    left = left.filter((file) => !next.includes(file));
  }
};

class ComposedTools {
  readonly #options: ComposedSourceOptions;
  #built: ReadonlyMap<string, Built> = new Map();
  /** All tools that a file names, with what they were when it was looked at. */
  #seen = new Map<string, Tool | undefined>();

  constructor(options: ComposedSourceOptions) {
    this.#options = options;
  }

  async load(): Promise<readonly Tool[]> {
    const { report, files } = this.#options;
    const { ordered, circular } = inOrder(files.all);
    const built = new Map<string, Built>();
    const tools = new Map<string, Tool>();
    this.#seen = new Map();
    for (const file of circular) {
      const names = circular.map(nameOf).join(', ');
      const message = `composed tools call each other in a circle: ${names}`;
      report({ file: file.file, ...file.positionOf(['composition', 'steps']), message });
    }
    for (const file of ordered) {
      try {
        const made = await this.#build(file, tools);
        built.set(file.file, made);
        if (tools.has(made.tool.name)) throw taken(made.tool.name);
        tools.set(made.tool.name, made.tool);
      } catch (thrown) {
        for (const problem of problemsOf(file, thrown)) report(problem);
      }
    }
    this.#built = built;
    return [...tools.values()];
  }

  /** Says whether a tool is another one now than when the compositions were built. */
  hasChanged(name: string): boolean {
    return this.#seen.has(name) && this.#seen.get(name) !== this.#options.find(name);
  }

  async #build(file: ComposedFile, own: ReadonlyMap<string, Tool>): Promise<Built> {
    const parts = new Map<string, Tool | undefined>();
    for (const name of toolsIn(file)) {
      const tool = this.#find(name, own);
      parts.set(name, tool);
      this.#seen.set(name, tool);
    }
    const before = this.#built.get(file.file);
    // The same object again: compositions of compositions are not rebuilt without end.
    if (before?.text === file.text && isSame(before.parts, parts)) return before;
    const { build, report, suggest } = this.#options;
    const tool = await build(file.value, {
      find: (name) => this.#find(name, own),
      suggest: (name) => nearestName(name, own.keys()) ?? suggest(name)[0],
      warn: (issue) => report(problemOf(file, issue)),
    });
    const tags = [...(tool.tags ?? []), fileTag(file.file)];
    return { text: file.text, tool: { ...tool, tags }, parts };
  }

  /** Prefers a tool of another source, which keeps its name, to a composed one that is built anew. */
  #find(name: string, own: ReadonlyMap<string, Tool>): Tool | undefined {
    const there = this.#options.find(name);
    return there && there.source !== 'composed' ? there : (own.get(name) ?? there);
  }
}

const isSame = (
  one: ReadonlyMap<string, Tool | undefined>,
  other: ReadonlyMap<string, Tool | undefined>,
): boolean => one.size === other.size && [...one].every(([name, tool]) => other.get(name) === tool);

const taken = (name: string): ToolFailure =>
  new ToolFailure('CONFLICT', undefined, {
    issues: [{ path: ['name'], message: `${name} is taken by another file` }],
  });

/** Reads no files itself: the source of custom tools has read them. */
export const createComposedSource = (options: ComposedSourceOptions): Source => {
  const tools = new ComposedTools(options);
  return {
    kind: 'composed',
    label: 'composed',
    load: () => tools.load(),
    watch: (changed) => {
      const stops = [
        options.files.onChange(changed),
        options.onToolChange((name) => {
          if (tools.hasChanged(name)) changed();
        }),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
};
