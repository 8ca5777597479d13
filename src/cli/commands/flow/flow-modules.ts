/**
 * Registers flows written as code. Such code runs in this process with the user's rights, so it is only
 * loaded when the user names its file on the command line, never from a file of a project.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import type { CribHost } from '../../../contract/crib-host.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowDefinition } from '../../../contract/flow.ts';
import type { Tool } from '../../../contract/tool.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { collectEach } from '../../command-actions.ts';
import type { Io } from '../../io.ts';

export interface ModuleOptions {
  readonly module?: readonly string[];
}

export const withModules = (command: Command): Command =>
  command.option(
    '--module <file>',
    'a JavaScript file that exports flows (and tools): it runs with your rights; can be repeated',
    collectEach,
  );

const isTool = (value: unknown): value is Tool =>
  isRecord(value) && typeof value.run === 'function' && typeof value.tier === 'string';

const isFlow = (value: unknown): value is FlowDefinition =>
  isRecord(value) && typeof value.run === 'function' && typeof value.version === 'string';

const loadExports = async (io: Io, file: string): Promise<readonly unknown[]> => {
  try {
    const loaded: unknown = await import(pathToFileURL(resolve(io.cwd, file)).href);
    return Object.values(loaded as object).flatMap((value: unknown) => value);
  } catch (error) {
    throw new ToolFailure('CONFIG_INVALID', `${file} could not be loaded: ${reasonOf(error)}`, {
      suggestions: ['Name a JavaScript module (.js or .mjs); compile TypeScript first.'],
    });
  }
};

interface Module {
  readonly tools: readonly Tool[];
  readonly flows: readonly FlowDefinition[];
}

const loadModule = async (io: Io, file: string): Promise<Module> => {
  const values = await loadExports(io, file);
  const tools = values.filter(isTool);
  const flows = values.filter((value) => !isTool(value)).filter(isFlow);
  if (flows.length + tools.length > 0) return { tools, flows };
  throw new ToolFailure('CONFIG_INVALID', `${file} exports no flow and no tool.`, {
    suggestions: [
      'Export what defineFlow or defineTool returns: export const mine = defineFlow({ … })',
    ],
  });
};

/**
 * Registers what the files export: flows last, because their due runs are continued at once, and a step
 * whose tool is not there yet fails for good. Throws CONFIG_INVALID for a file without a flow and without a
 * tool, before anything is registered.
 */
export const registerModules = async (
  io: Io,
  crib: CribHost,
  { module: files = [] }: ModuleOptions,
): Promise<void> => {
  const modules: Module[] = [];
  for (const file of files) modules.push(await loadModule(io, file));
  for (const tool of modules.flatMap(({ tools }) => tools)) crib.tools.register(tool);
  for (const flow of modules.flatMap(({ flows }) => flows)) crib.flows.register(flow);
};
