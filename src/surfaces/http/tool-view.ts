/** A tool as the API shows it: in a list, and on its own. */
import type { CatalogEntry } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import type { HttpServices } from './http-services.ts';

/** Finds a tool. Fails with TOOL_NOT_FOUND and similar names. */
export const entryOf = (name: string, { crib }: Pick<HttpServices, 'crib'>): CatalogEntry => {
  const entry = crib.tools.get(name);
  if (entry) return entry;
  const close = crib.tools.suggest(name);
  throw new ToolFailure('TOOL_NOT_FOUND', undefined, {
    suggestions: close.length > 0 ? [`Did you mean ${close.join(', ')}?`] : [],
  });
};

export const toolSummary = (entry: CatalogEntry, { deps }: Pick<HttpServices, 'deps'>) => {
  const { tool, wireName, enabled, deprecated, renamedFrom, quarantine } = entry;
  const { name, version, description, source, category, tier, tags = [] } = tool;
  const used = deps.toolUsage?.(name);
  return {
    name,
    wireName,
    version,
    description,
    source,
    category,
    tier,
    tags,
    enabled,
    deprecated,
    ...(quarantine && { quarantine }),
    ...(renamedFrom !== undefined && { renamedFrom }),
    ...(used && { calls: used.calls }),
    ...(used?.lastUsed !== undefined && { lastUsed: used.lastUsed }),
  };
};

const authView = async ({ auth }: Tool, { deps }: Pick<HttpServices, 'deps'>) => {
  if (!auth) return {};
  const { type, configKey, setupUrl } = auth;
  const present = await deps.hasSecret?.(configKey);
  return {
    auth: {
      type,
      configKey,
      ...(setupUrl !== undefined && { setupUrl }),
      ...(present !== undefined && { present }),
    },
  };
};

const lockView = (name: string, { crib }: Pick<HttpServices, 'crib'>) => {
  const locked = crib.tools.lock.states().find(({ tool }) => tool === name);
  if (!locked) return undefined;
  const { state, fingerprint, findings, diff } = locked;
  return { lock: { state, fingerprint, findings, diff } };
};

const optional = ({ documentation, cost, needs, sandbox, timeoutMs }: Tool) => ({
  ...(documentation !== undefined && { documentation }),
  ...(cost && { cost }),
  ...(needs && { needs }),
  ...(sandbox && { sandbox }),
  ...(timeoutMs !== undefined && { timeoutMs }),
});

export const toolDetail = async (named: string, services: HttpServices) => {
  const entry = entryOf(named, services);
  const { tool } = entry;
  const { tools } = services.crib;
  const output = tools.outputSchema(tool.name);
  return {
    ...toolSummary(entry, services),
    ...optional(tool),
    ...(await authView(tool, services)),
    capabilities: tool.capabilities,
    examples: tool.examples ?? [],
    input: tools.inputSchema(tool.name),
    ...(output && { output }),
    versions: tools.versions(tool.name),
    tokens: await tools.tokens(tool.name),
    ...lockView(tool.name, services),
  };
};
