/**
 * Checks that a tool definition can be used. It runs at registration, because sources build tools without
 * `defineTool`.
 */
import { isReservedName } from '../contract/define-tool.ts';
import { ToolFailure } from '../contract/errors.ts';
import { CATEGORIES, SOURCES, TIERS, type Tool } from '../contract/tool.ts';
import { wrongToolField } from '../contract/tool-fields.ts';
import { isToolName } from '../contract/tool-name.ts';

/** The pattern semver.org publishes. */
const VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;
const MAX_VERSION = 256;
const RESERVED = 'names that start with "toolcrib:" are kept for tools of the crib itself';

/** Checks a tool. Throws CONFIG_INVALID with the first thing that is wrong. */
export const checkTool = (tool: Tool): void => {
  const problem = problemWith(tool);
  if (problem === undefined) return;
  const label = isToolName(tool?.name) ? `Tool ${tool.name}` : 'A tool';
  throw new ToolFailure('CONFIG_INVALID', `${label}: ${problem}.`);
};

const problemWith = (tool: Tool): string | undefined => {
  if (typeof tool !== 'object' || tool === null) return 'is not an object';
  if (!isToolName(tool.name)) {
    return 'the name is not 1 to 128 letters, digits, "_", ".", ":" or "-", or starts with a mark';
  }
  if (isReservedName(tool.name)) return RESERVED;
  const { version } = tool;
  if (version === undefined && typeof tool.run === 'function') {
    return 'has no version, source and category; write it with defineTool, which fills them in';
  }
  if (typeof version !== 'string' || version.length > MAX_VERSION || !VERSION.test(version)) {
    return 'the version is not a semantic version such as 1.2.0';
  }
  if (typeof tool.description !== 'string') return 'the description is missing';
  if (typeof tool.run !== 'function') return 'run is not a function';
  return problemWithKind(tool) ?? problemWithParts(tool);
};

const problemWithKind = (tool: Tool): string | undefined => {
  if (!SOURCES.includes(tool.source)) return `the source is not one of ${SOURCES.join(', ')}`;
  if (!CATEGORIES.includes(tool.category)) {
    return `the category is not one of ${CATEGORIES.join(', ')}`;
  }
  return TIERS.includes(tool.tier) ? undefined : `the tier is not one of ${TIERS.join(', ')}`;
};

const problemWithParts = (tool: Tool): string | undefined => {
  if (!isSchema(tool.input)) return 'the input schema is missing';
  if (tool.output !== undefined && !isSchema(tool.output)) {
    return 'the output schema is not a schema';
  }
  if (!Array.isArray(tool.capabilities)) return 'the capabilities are not a list';
  const fieldProblem = wrongToolField(tool);
  if (fieldProblem !== undefined) return fieldProblem;
  if (tool.aliases?.every(isToolName) === false) return 'an alias is not a usable name';
  if (tool.aliases?.some(isReservedName)) return RESERVED;
  return undefined;
};

/** Accepts a function that makes the schema as well. */
const isSchema = (source: unknown): boolean =>
  typeof source === 'function' || (typeof source === 'object' && source !== null);
