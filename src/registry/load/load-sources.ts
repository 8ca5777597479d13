/**
 * Loads tools from their sources in a fixed order. A name that is taken is never replaced: the later
 * tool gets a name with the label of its source, or is refused, and the report says so.
 */
import type { LoadReport } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Source } from '../../contract/source.ts';
import { SOURCES, type Tool } from '../../contract/tool.ts';
import { isToolName } from '../../contract/tool-name.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { checkTool } from '../check-tool.ts';
import type { ToolFamilies } from '../tool-families.ts';
import type { Family, Registered } from '../versions.ts';

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

/** Copies a tool under another name or source; the methods of the copy stay bound to the original. */
const retag = (tool: Tool, tags: Pick<Tool, 'name' | 'source'>): Tool => {
  const copy = { ...tool, ...tags };
  for (const method of METHODS) {
    const run: unknown = tool[method];
    // The methods of a class are on its prototype and may use private fields.
    if (typeof run === 'function') Object.assign(copy, { [method]: run.bind(tool) });
  }
  return copy;
};

/** What one load changed; `removed` are versions that the source no longer has or has replaced. */
export interface Loaded {
  readonly source: Source;
  readonly report: LoadReport;
  readonly added: readonly Registered[];
  readonly removed: readonly Registered[];
}

export interface LoadTarget {
  readonly families: ToolFamilies;
  /** Gives the label of the only source that may use a name; nothing where any source may. */
  holderOf?(name: string): string | undefined;
  /** Called with what was registered, before any caller can see it. */
  onPlaced?(loaded: readonly Loaded[]): void;
}

/** Loads all sources at once and registers their tools in the order of `SOURCES`. Never rejects. */
export const loadSources = async (
  sources: readonly Source[],
  { families, onPlaced, holderOf = () => undefined }: LoadTarget,
): Promise<readonly Loaded[]> => {
  const ordered = sources.toSorted((a, b) => SOURCES.indexOf(a.kind) - SOURCES.indexOf(b.kind));
  const fetched = await Promise.all(ordered.map(fetchTools));
  const loaded = fetched.map(({ source, tools, error }) =>
    error === undefined ? accept(source, tools, { families, holderOf }) : failed(source, error),
  );
  onPlaced?.(loaded);
  return loaded;
};

/** Removes all tools of a source. */
export const removeSource = (source: Source, families: ToolFamilies): Loaded =>
  accept(source, [], { families, holderOf: () => undefined });

interface FetchedTools {
  readonly source: Source;
  readonly tools: readonly Tool[];
  readonly error?: string;
}

const fetchTools = async (source: Source): Promise<FetchedTools> => {
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
  removed: [],
});

const accept = (source: Source, tools: readonly Tool[], target: Target): Loaded => {
  const { families } = target;
  const renamed: { from: string; to: string }[] = [];
  const refused: { tool: string; reason: string }[] = [];
  const added = new Set<Registered>();
  const removed: Registered[] = [];
  for (const tool of tools) {
    try {
      const placed = place(tool, { ...target, source, added });
      added.add(placed.registered);
      if (placed.before) removed.push(placed.before);
      const to = placed.registered.tool.name;
      if (to !== tool.name) renamed.push({ from: tool.name, to });
    } catch (error) {
      refused.push({ tool: isToolName(tool?.name) ? tool.name : '?', reason: reasonOf(error) });
    }
  }
  removed.push(...removeMissing(source, added, families));
  const report = { source: source.label, loaded: added.size, renamed, refused };
  return { source, report, added: [...added], removed };
};

type Target = Pick<Required<LoadTarget>, 'families' | 'holderOf'>;

interface Placing extends Target {
  readonly source: Source;
  /** What this load has registered: a second tool of the same name and version is a mistake. */
  readonly added: ReadonlySet<Registered>;
}

const place = (tool: Tool, placing: Placing) => {
  const { source, families, added } = placing;
  checkTool(tool);
  const name = freeName(tool, placing);
  // The source decides how far a result is trusted, so a tool cannot choose its own.
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
  const labelled = `${label || source.kind}:${name}`;
  if (isToolName(labelled) && isFree(labelled, source, families)) return labelled;
  throw new ToolFailure('CONFLICT', `the names ${name} and ${labelled} are taken`);
};

/**
 * Tells whether no other source uses the name; the same source may add versions and load again. An
 * alias or a wire name counts as used: no source may take over a name under which callers or models
 * know another tool.
 */
const isFree = (name: string, source: Source, families: ToolFamilies): boolean => {
  const family = families.find(name);
  return family === undefined || isOwnedBy(family, source);
};

const isOwnedBy = (family: Family, source: Source): boolean =>
  [...family.versions.values()].every(({ owner }) => owner === source);

/** Removes what the source had registered before and no longer lists. */
const removeMissing = (
  source: Source,
  added: ReadonlySet<Registered>,
  families: ToolFamilies,
): readonly Registered[] =>
  [...families.all()].flatMap((family) =>
    [...family.versions.values()]
      .filter((registered) => registered.owner === source && !added.has(registered))
      .flatMap(({ tool }) => families.take(family, tool.version)),
  );
