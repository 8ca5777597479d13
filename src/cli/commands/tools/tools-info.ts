/** `toolcrib tools info`: everything about one tool. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Catalog, CatalogEntry } from '../../../contract/catalog.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import type { Tool } from '../../../contract/tool.ts';
import type { ToolMetadata } from '../../../contract/tool-metadata.ts';
import { cutToWidth } from '../../../kit/text/text-width.ts';
import { visibleBlock, visibleJson, visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson, widthOf } from '../../io.ts';
import {
  counted,
  formatCost,
  formatCount,
  formatDuration,
  formatShare,
  formatTime,
  shellQuote,
} from '../../output/format-units.ts';
import { table } from '../../output/table.ts';
import { badgeOf, toolSummary } from '../../output/tool-summary.ts';
import { toolOf } from '../../session/find-tool.ts';
import { type OpenCrib, withCrib } from '../../session/open-crib.ts';
import { assertFileTrusted, assertProjectTrusted, fileOfTool, notLoaded } from './custom-folder.ts';
import { parametersOf } from './parameter-table.ts';

const TYPE_WIDTH = 56;

interface Details {
  readonly entry: CatalogEntry;
  readonly input: JsonSchema;
  readonly output: JsonSchema | undefined;
  readonly tokens: number;
  readonly versions: ReturnType<Catalog['versions']>;
  /** Absent where there is no store yet. */
  readonly metadata: ToolMetadata | undefined;
}

const costText = ({ cost }: Tool): string => {
  if (!cost) return 'free';
  const { model, fixed, perUnit } = cost;
  const parts = [
    ...(fixed === undefined ? [] : [`${formatCost(fixed)} a call`]),
    ...(perUnit ? [`${formatCost(perUnit.price)} a ${perUnit.unit}`] : []),
  ];
  return parts.length === 0 ? model : `${parts.join(' + ')} (${model})`;
};

const needsText = ({ needs = {} }: Tool): string =>
  [
    ...(needs.paths ?? []).map(({ path, access }) => `${access} ${path}`),
    ...(needs.hosts ?? []).map((host) => `host ${host}`),
    ...(needs.commands ?? []).map((command) => `program ${command}`),
    ...(needs.secrets ?? []).map((key) => `secret ${key}`),
  ].join(', ');

const timeText = (at: number | undefined): string => (at === undefined ? '' : formatTime(at));

const usageText = (metadata: ToolMetadata | undefined): string => {
  const { count, errors, lastUsed } = metadata?.usage ?? { count: 0, errors: 0 };
  if (count === 0) return 'never called';
  const last = lastUsed === undefined ? '' : `, last ${formatTime(lastUsed)}`;
  return `${counted(count, 'call')}, ${formatCount(errors)} failed${last}`;
};

const performanceText = (metadata: ToolMetadata | undefined): string => {
  if (!metadata || metadata.performance.calls === 0) return '';
  const { errorRate, medianExecutionTime, p95ExecutionTime } = metadata.performance;
  const times = `median ${formatDuration(medianExecutionTime)}, p95 ${formatDuration(p95ExecutionTime)}`;
  return `${times}, ${formatShare(errorRate)} failed (30 days)`;
};

const factRows = ({
  entry,
  tokens,
  versions,
  metadata,
}: Details): readonly (readonly [string, string])[] => {
  const { tool, enabled, deprecated, wireName } = entry;
  const others = versions.filter(({ version }) => version !== tool.version);
  const rows: readonly (readonly [string, string])[] = [
    ['Description', tool.description],
    ['Version', `${tool.version}${deprecated ? ' (deprecated)' : ''}`],
    ['Other versions', others.map(({ version }) => version).join(', ')],
    ['Source', badgeOf(tool.source)],
    ['Category', tool.category],
    ['Tier', tool.tier],
    ['Enabled', enabled ? 'Yes' : 'No'],
    ['Token cost', `~${formatCount(tokens)} tokens`],
    ['Cost', costText(tool)],
    ['Timeout', tool.timeoutMs === undefined ? '' : formatDuration(tool.timeoutMs)],
    ['Reaches', needsText(tool)],
    ['Calls', (tool.composition?.parts ?? []).join(', ')],
    ['Permissions', (tool.permissions ?? []).join(', ')],
    ['Credential', tool.auth ? `${tool.auth.configKey} (${tool.auth.type})` : ''],
    ['Also called', (tool.aliases ?? []).join(', ')],
    ['Model sees', wireName === tool.name ? '' : wireName],
    ['Tags', (tool.tags ?? []).join(', ')],
    ['Author', tool.author ?? ''],
    ['License', tool.license ?? ''],
    ['Used', usageText(metadata)],
    ['Performance', performanceText(metadata)],
    ['Accepted', timeText(metadata?.created)],
    ['Last changed', timeText(metadata?.lastModified)],
  ];
  return rows.filter(([, text]) => text !== '');
};

const capabilityLines = (io: Io, { capabilities, tier }: Tool): readonly string[] =>
  table(
    capabilities.map((capability) => [
      { text: capability.action, paint: io.ink.bold },
      capability.tier ?? tier,
      [
        ...(capability.destructive === true ? ['destructive'] : []),
        ...(capability.requiresConfirmation === true ? ['asks first'] : []),
      ].join(', '),
      capability.description,
    ]),
    widthOf(io) - 2,
  );

const parameterLines = (io: Io, input: JsonSchema): readonly string[] =>
  table(
    parametersOf(input).map(({ name, type, required, description }) => [
      { text: name, paint: io.ink.bold },
      { text: cutToWidth(type, TYPE_WIDTH), paint: io.ink.cyan },
      required ? { text: 'required', paint: io.ink.yellow } : '',
      { text: description, paint: io.ink.dim },
    ]),
    widthOf(io) - 2,
  );

const exampleLines = (io: Io, tool: Tool): readonly string[] =>
  (tool.examples ?? []).flatMap(({ title, input }) => [
    io.ink.dim(visibleText(`# ${title}`)),
    `toolcrib run ${tool.name} ${shellQuote(visibleJson(JSON.stringify(input)))}`,
  ]);

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];

const infoLines = (io: Io, details: Details): readonly string[] => {
  const { tool } = details.entry;
  const facts = factRows(details).map(
    ([label, text]) => `${io.ink.dim(`${label}:`.padEnd(16))}${visibleText(text)}`,
  );
  return [
    `${io.ink.bold('Tool:')} ${tool.name}`,
    ...facts,
    ...section('Actions', capabilityLines(io, tool)),
    ...section('Parameters', parameterLines(io, details.input)),
    ...(details.output ? section('Returns', parameterLines(io, details.output)) : []),
    ...section('Examples', exampleLines(io, tool)),
    ...section(
      'Documentation',
      visibleBlock(tool.documentation ?? '')
        .split('\n')
        .filter(Boolean),
    ),
  ];
};

const infoJson = ({ entry, input, output, tokens, versions, metadata }: Details) => {
  const { tool } = entry;
  const { documentation, examples, capabilities, auth, cost, needs, permissions, aliases } = tool;
  const { timeoutMs, rateLimit, author, license, composition } = tool;
  return {
    ...toolSummary(entry),
    documentation,
    examples,
    capabilities,
    cost,
    needs,
    permissions,
    aliases,
    timeoutMs,
    rateLimit,
    author,
    license,
    tokens,
    versions,
    composition,
    performance: metadata?.performance,
    usage: metadata?.usage,
    created: metadata?.created,
    lastModified: metadata?.lastModified,
    ...(auth && { auth: { type: auth.type, required: auth.required, configKey: auth.configKey } }),
    input,
    output,
  };
};

/** Tells whether the store exists: a command that only reads must not create one. */
const isStoreThere = ({ loaded, root }: OpenCrib): boolean => {
  const { driver, path, url } = loaded.config.store;
  return url !== undefined || driver !== 'sqlite' || existsSync(resolve(root, path));
};

/** Looks a tool up. For one whose file is there, says that it was not loaded. */
const entryOf = async (open: OpenCrib, name: string): Promise<CatalogEntry> => {
  const entry = open.crib.tools.get(name);
  if (entry) return entry;
  const file = await fileOfTool(open, name);
  if (file === undefined) return toolOf(open.crib, name);
  assertProjectTrusted(open);
  assertFileTrusted(open, file);
  throw notLoaded('TOOL_NOT_FOUND', file);
};

const showInfo = (io: Io, name: string): Promise<number> =>
  withCrib(
    io,
    async (open) => {
      const { crib } = open;
      const { tools } = crib;
      const entry = await entryOf(open, name);
      const own = entry.tool.name;
      const details: Details = {
        entry,
        input: tools.inputSchema(own),
        output: tools.outputSchema(own),
        tokens: await tools.tokens(own),
        versions: tools.versions(own),
        metadata: isStoreThere(open) ? await tools.metadata(own) : undefined,
      };
      if (io.json) printJson(io, infoJson(details));
      else print(io, ...infoLines(io, details));
      return 0;
    },
    { tool: name },
  );

export const toolsInfoCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(tools.command('info <name>')).action(
      leaving(io, (name: string) => showInfo(io, name)),
    ),
    'toolcrib tools info write_file',
    'toolcrib tools info calculator --json',
  );
