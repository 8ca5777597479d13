/**
 * The code that is bundled around the user's code and runs inside the sandbox: it picks the function to
 * call and gives the context its documented names (`platform`, `conversation`).
 */

/** The names under which the parts of a bundle import each other. */
export const TOOL_MODULE = 'toolcrib:tool';
const CONTEXT_MODULE = 'toolcrib:context';
/** What user code may import by name. */
export const PUBLIC_MODULE = 'toolcrib';

const CONTEXT = `
const bytesToText = (bytes) => {
  let escaped = '';
  for (const byte of bytes) escaped += '%' + (byte < 16 ? '0' : '') + byte.toString(16);
  return decodeURIComponent(escaped);
};
const textOf = (read) => {
  if (typeof read === 'string') return read;
  if (typeof read?.text === 'string') return read.text;
  return bytesToText(Array.isArray(read) ? read : Object.values(read ?? {}));
};
const WORKSPACE = '.';
const execute = (context) => (command, args) => {
  const asked = typeof command === 'string' ? { command, args } : command;
  if ((asked.cwd ?? WORKSPACE) !== WORKSPACE) {
    throw new Error('Programs run in the workspace; leave cwd out.');
  }
  return context.exec(asked.command, asked.args ?? []);
};
// Through the tool of that name, which policy, approvals and limits judge like any other call.
const docker = (context) => {
  const ask = async (action, given) => {
    const { success, data, error } = await context.call('docker', { ...given, action });
    if (!success) throw new Error((error?.code ?? 'EXECUTION_FAILED') + ': docker: ' + (error?.message ?? 'failed'));
    return data;
  };
  return {
    run: (given) => ask('run', given),
    build: (given) => ask('build', given),
    ps: (given) => ask('ps', given),
  };
};
export const contextFor = (context, facts) => ({
  ...context,
  ...facts,
  config: { workingDirectory: WORKSPACE },
  conversation: { id: facts.sessionId, workingDirectory: WORKSPACE },
  platform: {
    fs: {
      readFile: async (path) => textOf(await context.fs.read(path)),
      writeFile: async (path, content) => void (await context.fs.write(path, content)),
      exists: async (path) => (await context.fs.stat(path)) != null,
      readdir: async (path) => (await context.fs.list(path)).map((entry) => entry.path.split('/').at(-1)),
      unlink: (path) => context.fs.remove(path),
    },
    executor: { execute: execute(context) },
    docker: docker(context),
  },
});
`;

const YAML_ENTRY = `
import * as tool from '${TOOL_MODULE}';
import { contextFor } from '${CONTEXT_MODULE}';
export const run = ({ input, facts }, context) =>
  (tool.execute ?? tool.run ?? tool.default)(input, contextFor(context, facts));
`;

// Functions cannot leave the sandbox, so their names are returned instead.
const MODULE_ENTRY = `
import * as module from '${TOOL_MODULE}';
import { contextFor } from '${CONTEXT_MODULE}';
const tools = Array.isArray(module.default) ? module.default : [module.default];
const isFunction = (value) => typeof value === 'function';
const describeTool = (tool) => {
  if (typeof tool !== 'object' || tool === null) return { fields: null, functions: [] };
  const pairs = Object.entries(tool);
  return {
    fields: Object.fromEntries(pairs.filter(([, value]) => !isFunction(value))),
    functions: pairs.filter(([, value]) => isFunction(value)).map(([name]) => name),
  };
};
export const run = ({ describe, index, input, facts }, context) =>
  describe === true ? tools.map(describeTool) : tools[index].run(input, contextFor(context, facts));
`;

const PUBLIC = 'export const defineTool = (tool) => tool;';

export type ToolKind = 'yaml' | 'module';

/** Gives the text of each module by its import name. */
export const guestModules = (kind: ToolKind): ReadonlyMap<string, string> =>
  new Map([
    ['toolcrib:entry', kind === 'yaml' ? YAML_ENTRY : MODULE_ENTRY],
    [CONTEXT_MODULE, CONTEXT],
    [PUBLIC_MODULE, PUBLIC],
  ]);
