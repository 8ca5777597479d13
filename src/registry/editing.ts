/** The writing half of the catalog: registering, replacing and removing tools, and switching them. */
import type { Catalog } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Events } from '../contract/events.ts';
import type { Tool } from '../contract/tool.ts';
import { checkTool } from './check-tool.ts';
import { familyOf } from './lookup.ts';
import { type ToolFamilies, taken } from './tool-families.ts';
import { cleanUp, versionOf } from './versions.ts';

export type Editing = Pick<
  Catalog,
  'register' | 'registerAll' | 'unregister' | 'update' | 'setActive' | 'deprecate' | 'setEnabled'
>;

export interface EditingDeps {
  readonly families: ToolFamilies;
  readonly events: Events | undefined;
  /** Tells whether the configuration switches the tool on or off; nothing where it says neither. */
  allows(name: string): boolean | undefined;
  isEnforced(name: string): boolean;
}

export const createEditing = ({ families, events, allows, isEnforced }: EditingDeps): Editing => {
  const assertFree = (name: string): void => {
    if (isEnforced(name)) throw enforced(name);
  };
  const register = (tool: Tool): void => {
    families.put(tool);
    announce(events, tool);
  };

  return {
    register,
    registerAll(tools) {
      // All or none: no caller can use half a list.
      checkAll(families, tools);
      for (const tool of tools) register(tool);
    },
    async unregister(name, version) {
      const family = families.named(name);
      assertFree(name);
      const removed = family ? families.take(family, version) : [];
      if (removed.length === 0) return false;
      events?.emit('tool.unregistered', { tool: name });
      await cleanUp(removed);
      return true;
    },
    async update(tool) {
      checkTool(tool);
      assertFree(tool.name);
      const family = families.named(tool.name) ?? notThere(tool.name);
      const before = versionOf(family, tool.version);
      families.swap(family, before, tool);
      announce(events, tool);
      await cleanUp([before]);
    },
    setActive: (name, version) => {
      const family = familyOf(families, name);
      assertFree(family.name);
      families.activate(family, version);
    },
    deprecate(name, version) {
      versionOf(familyOf(families, name), version).deprecated = true;
    },
    setEnabled(name, enabled) {
      const family = familyOf(families, name);
      if (enabled && allows(family.name) === false) throw switchedOff(family.name);
      if (!enabled) assertFree(family.name);
      family.enabled = enabled;
      events?.emit('tool.switched', { tool: family.name, enabled });
    },
  };
};

const enforced = (name: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `${name} is enforced: it stays as it is, and switched on.`, {
    suggestions: ['Ask the people who maintain the catalog of your team.'],
  });

const switchedOff = (name: string): ToolFailure =>
  new ToolFailure('TOOL_DISABLED', `${name} is switched off by configuration.`, {
    suggestions: ['Change the configuration: what it switches off stays off.'],
  });

const checkAll = (families: ToolFamilies, tools: readonly Tool[]): void => {
  const keys = new Set<string>();
  for (const tool of tools) {
    checkTool(tool);
    const key = `${tool.name}@${tool.version}`;
    if (keys.has(key) || families.named(tool.name)?.versions.has(tool.version)) throw taken(tool);
    keys.add(key);
  }
};

/** Throws TOOL_NOT_FOUND, for an alias too: the update would rename the tool. */
const notThere = (name: string): never => {
  throw new ToolFailure('TOOL_NOT_FOUND', `There is no tool named ${name} to replace.`, {
    suggestions: ['Register it instead.'],
  });
};

/** Emits `tool.registered`. */
export const announce = (events: Events | undefined, { name, version }: Tool): void => {
  if (events?.has('tool.registered')) events.emit('tool.registered', { tool: name, version });
};
