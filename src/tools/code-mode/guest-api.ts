/**
 * What is bundled around the code of a model. It runs inside the sandbox: it names the tools, throws
 * refusals as errors at the place of the call, and reports how the code ended.
 */
import type { ApiTool } from './api-tools.ts';

export const ENTRY = 'toolcrib:entry';
export const CODE = 'toolcrib:code';
const TOOLS = 'toolcrib:tools';
const GUEST = 'toolcrib:guest';

/** Further lines of `console` are dropped inside the sandbox. */
const MAX_LINES = 500;
const MAX_LINE_LENGTH = 2_000;
/** Characters of a page of a stored result; fewer when such a page is too long to be returned itself. */
const PAGE_LENGTH = 200_000;
const MIN_PAGE_LENGTH = 1_000;

// The stack trace is taken when the call is made: after the answer it no longer shows the code.
const GUEST_TEXT = `
let host;
let lines = 0;
const shown = (value) => {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return '[object]';
  }
};
const print = (...values) => {
  lines += 1;
  if (lines > ${MAX_LINES}) return;
  void host.logger.info(values.map(shown).join(' ').slice(0, ${MAX_LINE_LENGTH}));
};
export const open = (context) => {
  host = context;
  globalThis.console = { log: print, info: print, debug: print, warn: print, error: print };
};
// A result of an MCP tool may hold blocks beside its data; the types are of the data alone.
const dataOf = (data) => {
  const isBoth = data !== null && typeof data === 'object' && Object.keys(data).length === 2 &&
    Object.hasOwn(data, 'content') && Object.hasOwn(data, 'structuredContent');
  return isBoth ? data.structuredContent : data;
};
export const call = (name) => async (input) => {
  const trace = new Error().stack;
  const result = await host.call(name, input === undefined ? {} : input);
  if (result.success) return dataOf(result.data);
  const { code, message, suggestions, issues } = result.error;
  const error = new Error(name + ': ' + message);
  throw Object.assign(error, { code, suggestions, issues, stack: trace });
};
const page = call('read_result');
export const results = {
  read: (handle, part) => page({ ...part, handle }),
  json: async (handle) => {
    let text = '';
    let limit = ${PAGE_LENGTH};
    for (let offset = 0; offset !== undefined; ) {
      const next = await page({ handle, offset, limit });
      if (typeof next.text === 'string') {
        text += next.text;
        offset = next.nextOffset;
      } else if (limit > ${MIN_PAGE_LENGTH}) limit = Math.floor(limit / 4);
      else throw new Error('The stored result cannot be read in pages.');
    }
    return JSON.parse(text);
  },
};
const textOf = (read) => {
  try {
    return String(read() ?? '');
  } catch {
    return '';
  }
};
export const plainError = (error) => {
  const isObject = typeof error === 'object' && error !== null;
  return {
    name: isObject ? textOf(() => error.name) : '',
    message: textOf(() => (isObject ? (error.message ?? shown(error)) : error)).slice(0, 2000),
    code: isObject ? textOf(() => error.code) : '',
    stack: isObject ? textOf(() => error.stack).slice(0, 20000) : '',
  };
};
`;

const ENTRY_TEXT = `
import { open, plainError } from '${GUEST}';
export const run = async (input, context) => {
  open(context);
  try {
    const code = await import('${CODE}');
    const main = code.default;
    return { value: typeof main === 'function' ? await main() : await main };
  } catch (error) {
    return { thrown: plainError(error) };
  }
};
`;

const toolsText = (tools: readonly ApiTool[]): string => {
  const made = tools.map(({ tool }, at) => `const t${at} = call(${JSON.stringify(tool.name)});`);
  const names = tools.map(({ identifier }, at) => `t${at} as ${identifier}`);
  return [`import { call } from '${GUEST}';`, ...made, `export { ${names.join(', ')} };`].join(
    '\n',
  );
};

/** On one line, so that the code begins on the second. */
const IMPORTS = `import * as tools from '${TOOLS}'; import { results } from '${GUEST}';`;

const isModule = (code: string): boolean => /^[ \t]*export\s+default\b/m.test(code);

/** How many lines come before the code. */
export const LINES_BEFORE = 1;

/** Wraps the code: the body of a function, or a module with a default export. */
export const wrapCode = (code: string, imports: string = IMPORTS): string =>
  isModule(code) ? `${imports}\n${code}` : `${imports} export default async () => {\n${code}\n};`;

/** Lists the text of each module by the name under which it is imported. */
export const guestModules = (
  code: string,
  tools: readonly ApiTool[],
): ReadonlyMap<string, string> =>
  new Map([
    [ENTRY, ENTRY_TEXT],
    [GUEST, GUEST_TEXT],
    [TOOLS, toolsText(tools)],
    [CODE, wrapCode(code)],
  ]);
