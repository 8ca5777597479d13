/** The registered tools that came from outside, each with its definition pinned once. */
import type { ToolFamilies } from '../tool-families.ts';
import type { Family, Registered } from '../versions.ts';
import { isFromOutside } from './gate.ts';
import { type PinnedDefinition, pinDefinition } from './pin-definition.ts';
import { createNameIndex, type NamedTool, type NameIndex } from './scan/name-index.ts';

export interface OutsideTool extends NamedTool {
  readonly registered: Registered;
  /** Its name at its source. */
  readonly ownName: string;
  /** `undefined` for a definition that cannot be pinned. */
  readonly pinned: PinnedDefinition | undefined;
}

export interface OutsideTools {
  of(registered: Registered): OutsideTool | undefined;
  all(): readonly OutsideTool[];
  /** Indexes the names of all tools, also those that are not from outside. */
  names(): NameIndex;
  /** Called when the families have changed or are about to. */
  refresh(): void;
}

/** The origin, in messages, of a tool that the program itself registered. */
const PROGRAM = 'the program';

const namedOf = ({ tool, owner, renamedFrom }: Registered): NamedTool => ({
  name: tool.name,
  origin: owner?.label ?? PROGRAM,
  others: [...(tool.aliases ?? []), ...(renamedFrom === undefined ? [] : [renamedFrom])],
});

export const outsideTools = (families: ToolFamilies): OutsideTools => {
  const cache = new WeakMap<Registered, OutsideTool>();
  let index: NameIndex | undefined;

  const make = (family: Family, registered: Registered): OutsideTool => {
    const { tool, renamedFrom: ownName = tool.name } = registered;
    const schema = (side: 'input' | 'output') => families.state(family, registered).json(side);
    const pinned = pinDefinition(tool, schema, ownName);
    return { ...namedOf(registered), registered, ownName, pinned };
  };

  const of = (registered: Registered): OutsideTool | undefined => {
    const cached = cache.get(registered);
    if (cached) return cached;
    const family = families.named(registered.tool.name);
    if (!family || !registered.owner || !isFromOutside(registered.owner)) return undefined;
    const tool = make(family, registered);
    cache.set(registered, tool);
    return tool;
  };

  const everything = (): readonly Registered[] =>
    [...families.all()].flatMap(({ versions }) => [...versions.values()]);

  return {
    of,
    all: () => everything().flatMap((registered) => of(registered) ?? []),
    names() {
      index ??= createNameIndex(everything().map(namedOf));
      return index;
    },
    refresh() {
      index = undefined;
    },
  };
};
