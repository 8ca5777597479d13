/**
 * Loads tools from their sources in a fixed order. A name that is taken is never replaced: the later
 * tool goes under a name with the label of its source, or is refused, and the report says so.
 */
import type { LoadReport } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Source } from '../../contract/source.ts';
import { SOURCES, type Tool } from '../../contract/tool.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { checkTool, isToolName } from '../check-tool.ts';
import type { ToolFamilies } from '../tool-families.ts';
import type { Family, Registered } from '../versions.ts';

/** Gives a tool another name or source without touching the original, whose methods stay bound to it. */
const METHODS = [
  'run',
  'undo',
  'targets',
  'programs',
  'estimate',
  'initialize',
  'cleanup',
  'healthCheck',
  'handleError',
] as const;

const retag = (tool: Tool, tags: Pick<Tool, 'name' | 'source'>): Tool => {
  const copy = { ...tool, ...tags };
  for (const method of METHODS) {
    const run: unknown = tool[method];
    // A class keeps its methods on the prototype and may use private fields in them.
    if (typeof run === 'function') Object.assign(copy, { [method]: run.bind(tool) });
  }
  return copy;
};

/** What one source brought; `gone` are the tools it no longer has or has replaced. */
export interface Loaded {
  readonly source: Source;
  readonly report: LoadReport;
  readonly added: readonly Registered[];
  readonly gone: readonly Registered[];
}

export interface LoadTarget {
  readonly families: ToolFamilies;
  /** The label of the only source that may have a name; any may have it when there is none. */
  holderOf?(name: string): string | undefined;
  /** Told what lies on the families now, before anybody else can see it. */
  placed?(loaded: readonly Loaded[]): void;
}

/** Never rejects. All sources load at once; their tools are put on the families in the order of `SOURCES`. */
export const loadSources = async (
  sources: readonly Source[],
  { families, placed, holderOf = () => undefined }: LoadTarget,
): Promise<readonly Loaded[]> => {
  const ordered = sources.toSorted((a, b) => SOURCES.indexOf(a.kind) - SOURCES.indexOf(b.kind));
  const brought = await Promise.all(ordered.map(fetchTools));
  const loaded = brought.map(({ source, tools, error }) =>
    error === undefined ? accept(source, tools, { families, holderOf }) : failed(source, error),
  );
  placed?.(loaded);
  return loaded;
};

interface Brought {
  readonly source: Source;
  readonly tools: readonly Tool[];
  readonly error?: string;
}

const fetchTools = async (source: Source): Promise<Brought> => {
  try {
    const tools = await source.load();
    if (!Array.isArray(tools))
      throw new TypeError('the source did not answer with a list of tools');
    return { source, tools };
  } catch (error) {
    return { source, tools: [], error: reasonOf(error) };
  }
};

const failed = (source: Source, error: string): Loaded => ({
  source,
  report: { source: source.label, loaded: 0, renamed: [], refused: [], error },
  added: [],
  gone: [],
});

const accept = (source: Source, tools: readonly Tool[], target: Target): Loaded => {
  const { families } = target;
  const renamed: { from: string; to: string }[] = [];
  const refused: { tool: string; reason: string }[] = [];
  const added = new Set<Registered>();
  const gone: Registered[] = [];
  for (const tool of tools) {
    try {
      const placed = place(tool, { ...target, source, added });
      added.add(placed.registered);
      if (placed.before) gone.push(placed.before);
      const to = placed.registered.tool.name;
      if (to !== tool.name) renamed.push({ from: tool.name, to });
    } catch (error) {
      refused.push({ tool: isToolName(tool?.name) ? tool.name : '?', reason: reasonOf(error) });
    }
  }
  gone.push(...sweep(source, added, families));
  const report = { source: source.label, loaded: added.size, renamed, refused };
  return { source, report, added: [...added], gone };
};

type Target = Pick<Required<LoadTarget>, 'families' | 'holderOf'>;

interface Placing extends Target {
  readonly source: Source;
  /** What this very load has put there: a second one of the same version is a mistake. */
  readonly added: ReadonlySet<Registered>;
}

const place = (tool: Tool, placing: Placing) => {
  const { source, families, added } = placing;
  checkTool(tool);
  const name = freeName(tool, placing);
  // The label decides how far a result is trusted, so a tool cannot choose its own source.
  const isSame = name === tool.name && tool.source === source.kind;
  const tagged = isSame ? tool : retag(tool, { name, source: source.kind });
  const family = families.named(name);
  const before = family?.versions.get(tool.version);
  if (before && added.has(before)) throw new ToolFailure('CONFLICT', 'it is listed twice');
  if (family && before) {
    return { registered: families.swap(family, before, tagged), before };
  }
  const origin = name === tool.name ? { owner: source } : { owner: source, renamedFrom: tool.name };
  return { registered: families.put(tagged, origin), before: undefined };
};

const freeName = ({ name }: Tool, { source, families, holderOf }: Placing): string => {
  const holder = holderOf(name) ?? source.label;
  if (holder === source.label && isFree(name, source, families)) return name;
  const label = source.label
    .replaceAll(/[^A-Za-z0-9_.:-]/g, '-')
    .replaceAll(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  const spaced = `${label || source.kind}:${name}`;
  if (isToolName(spaced) && isFree(spaced, source, families)) return spaced;
  throw new ToolFailure('CONFLICT', `the names ${name} and ${spaced} are taken`);
};

/**
 * Free, or used by the same source, which may bring other versions and load again. An alias or a wire
 * name counts: a stranger must not step in where callers or models know another tool.
 */
const isFree = (name: string, source: Source, families: ToolFamilies): boolean => {
  const family = families.find(name);
  return family === undefined || isOwnedBy(family, source);
};

const isOwnedBy = (family: Family, source: Source): boolean =>
  [...family.versions.values()].every(({ owner }) => owner === source);

/** After a second load: takes away what the source no longer brings. */
const sweep = (
  source: Source,
  added: ReadonlySet<Registered>,
  families: ToolFamilies,
): readonly Registered[] =>
  [...families.all()].flatMap((family) =>
    [...family.versions.values()]
      .filter((registered) => registered.owner === source && !added.has(registered))
      .flatMap(({ tool }) => families.take(family, tool.version)),
  );
