/**
 * Previews a source before it is added: reads its definitions, and describes what its tools could do and
 * reach and what they would cost in a prompt. Writes nothing.
 */
import type { PolicyFile } from '../../config/load/policy-files.ts';
import type { Config } from '../../config/schema.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { Catalog } from '../../contract/catalog.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ReviewedTool } from '../../contract/packages.ts';
import { NOTHING_SEEN, type Policy, type RuleEffect } from '../../contract/policy.ts';
import type { ManagedSource, RefusedTool } from '../../contract/sources.ts';
import type { Tier, Tool } from '../../contract/tool.ts';
import { capabilityInUse, tierInUse } from '../../governance/policy/capability.ts';
import { createRegistry } from '../../registry/registry.ts';
import { openRedactor } from '../lazy-drivers.ts';
import { type OpenSourcesDeps, openSources } from './open-sources.ts';
import { secretsOf } from './source-secrets.ts';
import { checkedSettings } from './sources-of.ts';

export interface PreviewedTool {
  readonly name: string;
  readonly description: string;
  readonly tier: Tier;
  /** The verdict of the rules on a call by this user: `ask` means that a person is asked. */
  readonly rule: RuleEffect;
  /** The size of its definition in a prompt. */
  readonly tokens: number;
}

export interface SourcePreview {
  /** Where it is, without credentials. */
  readonly location: string;
  readonly tools: readonly PreviewedTool[];
  readonly tokens: number;
  readonly refused: readonly RefusedTool[];
  /** Hosts that its tools may reach. */
  readonly hosts: readonly string[];
  readonly secrets: readonly { readonly key: string; readonly isSet: boolean }[];
}

export interface PreviewDeps
  extends Pick<OpenSourcesDeps, 'config' | 'runtime' | 'project' | 'home' | 'secrets'> {
  readonly policyFiles: readonly PolicyFile[];
  /** Adds rules that come with the source on top. */
  withRules?(own: Policy): Policy;
}

/** A source as `sources.<kind>.<name>` would have it. */
export interface ProposedSource {
  readonly kind: string;
  readonly name: string;
  readonly settings: unknown;
  /** Keys that the settings refer to. */
  readonly secrets: readonly string[];
}

const ruleOf = (policy: Policy, tool: Tool, now: number): RuleEffect => {
  const capability = capabilityInUse(tool, {});
  const tier = tierInUse(tool, capability);
  const question = { tool, tier, capability, input: {}, caller: LOCAL_CALLER, now };
  try {
    return policy.judge({ ...question, flow: NOTHING_SEEN }).effect;
  } catch {
    return 'deny';
  }
};

const policyOf = async ({ config, runtime, policyFiles }: PreviewDeps): Promise<Policy> => {
  const { openPolicy } = await import('../open-policy.ts');
  return openPolicy({ policyFiles }, config.policy, { log: runtime.log });
};

type Look = Pick<SourcePreview, 'tools' | 'tokens' | 'hosts'> & {
  readonly keys: readonly string[];
};

/** Describes the tools of a catalog that holds nothing else. */
export const lookAt = async (
  catalog: Pick<Catalog, 'list' | 'tokenReport'>,
  deps: PreviewDeps,
): Promise<Look> => {
  const tools = catalog.list().map(({ tool }) => tool);
  const { byTool, total } = await catalog.tokenReport();
  const counts = new Map(byTool.map(({ tool, tokens }) => [tool, tokens]));
  const own = await policyOf(deps);
  const policy = deps.withRules?.(own) ?? own;
  const valuesOf = (key: 'hosts' | 'secrets'): readonly string[] =>
    [...new Set(tools.flatMap(({ needs }) => needs?.[key] ?? []))].toSorted();
  return {
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      tier: tool.tier,
      rule: ruleOf(policy, tool, deps.runtime.now()),
      tokens: counts.get(tool.name) ?? 0,
    })),
    tokens: total,
    hosts: valuesOf('hosts'),
    keys: valuesOf('secrets'),
  };
};

const noHost = (): never => {
  throw new ToolFailure('STORE_UNAVAILABLE', 'A preview calls no tools.');
};

/** Describes tools that no source has yet, e.g. those of a package that is not installed. */
export const previewTools = async (
  definitions: readonly ReviewedTool[],
  deps: PreviewDeps,
): Promise<Omit<SourcePreview, 'location'>> => {
  const tools = definitions.map((tool): Tool => ({ ...tool, run: noHost }));
  const registry = createRegistry({ runtime: deps.runtime });
  const source = { kind: 'package' as const, label: 'preview', load: async () => tools };
  const [report] = await registry.load([source]);
  const refused = (report?.refused ?? []).map(({ tool, reason }) => ({ name: tool, reason }));
  const { keys, ...look } = await lookAt(registry, deps);
  const redactor = await openRedactor(deps.config);
  const { secret } = secretsOf({ ...deps, redactor });
  return { ...look, refused, secrets: await statesOf(keys, secret) };
};

/** Loads the source into a registry of its own, without a lock: nothing there can be called. */
const lookAtSource = async (
  source: ManagedSource,
  deps: PreviewDeps,
): Promise<Look & Pick<SourcePreview, 'refused'>> => {
  const registry = createRegistry({ runtime: deps.runtime });
  // Read before it is loaded, because the registry only logs a failed reading.
  await source.load();
  const [report] = await registry.load([source]);
  const refused = (report?.refused ?? []).map(({ tool, reason }) => ({ name: tool, reason }));
  const look = await lookAt(registry, deps);
  return { ...look, refused: [...source.status().refused, ...refused] };
};

/** Previews a source. Rejects with the reason why it could not be read. */
export const previewSource = async (
  { kind, name, settings, secrets }: ProposedSource,
  deps: PreviewDeps,
): Promise<SourcePreview> => {
  const [checkedKind, own] = await checkedSettings(kind, name, settings);
  const redactor = await openRedactor(deps.config);
  // Other sources of the configuration are not opened.
  const config: Config = { ...deps.config, sources: emptyLike(deps.config.sources) };
  const opened = await openSources({ ...deps, config, redactor, host: noHost, caches: false });
  const source = await opened.open(checkedKind, name, { ...own, enabled: true });
  try {
    const { keys, ...view } = await lookAtSource(source, deps);
    const { secret } = secretsOf({ ...deps, redactor });
    const all = [...new Set([...secrets, ...keys])].toSorted();
    return { location: source.status().location, ...view, secrets: await statesOf(all, secret) };
  } finally {
    await source.close?.();
  }
};

/** Tells which of the keys have a value. */
export const statesOf = (
  keys: readonly string[],
  secret: (key: string) => Promise<string | undefined>,
): Promise<SourcePreview['secrets']> =>
  Promise.all(keys.map(async (key) => ({ key, isSet: (await secret(key)) !== undefined })));

export const emptyLike = (sources: Config['sources']): Config['sources'] =>
  Object.fromEntries(Object.keys(sources).map((kind) => [kind, {}])) as Config['sources'];
