/**
 * Derives the risk of a tool from its definition. A claim can raise the tier that its needs imply and
 * never lower it: a tool that runs programs is not read-only, whatever the file says.
 */
import type { Needs } from '../../contract/needs.ts';
import { type Capability, TIERS, type Tier } from '../../contract/tool.ts';
import { commandPattern, type ModuleDefinition, type YamlDefinition } from './definition-shape.ts';

type RiskLevel = NonNullable<YamlDefinition['permissions']['riskLevel']>;

const BY_RISK: Readonly<Record<RiskLevel, Tier>> = {
  low: 'read_only',
  medium: 'write',
  high: 'execute',
  critical: 'execute',
};

const highestTier = (...tiers: readonly Tier[]): Tier =>
  tiers.reduce((high, tier) => (TIERS.indexOf(tier) > TIERS.indexOf(high) ? tier : high));

/** Gives the lowest tier that is true for what a tool can reach. */
const tierOfReach = ({ paths = [], hosts = [], commands = [] }: Needs): Tier => {
  if (hosts.length > 0) return 'external_api';
  if (commands.length > 0) return 'execute';
  return paths.some(({ access }) => access === 'write') ? 'write' : 'read_only';
};

export interface Reach {
  readonly tier: Tier;
  readonly needs: Needs;
  readonly capabilities: readonly Capability[];
}

type Definition = Pick<YamlDefinition, 'needs' | 'description'>;

/** Collects the needs. Empty lists are left out: guards treat a list that is present as a need. */
const needsOf = ({ needs }: Definition, allowlist: readonly string[]): Needs => {
  const { paths, hosts, secrets, model } = needs;
  const commands = [...(needs.commands ?? []), ...allowlist].flatMap(
    (text) => commandPattern(text) ?? [],
  );
  return {
    ...(paths?.length && { paths }),
    ...(hosts?.length && { hosts }),
    ...(secrets?.length && { secrets }),
    ...(model && { model }),
    ...(commands.length > 0 && { commands }),
  };
};

/**
 * Derives tier and needs of a YAML tool. The risk is medium by default; without `autoAccept: true` a person is
 * asked.
 */
export const yamlReach = (definition: YamlDefinition): Reach => {
  const { description, permissions } = definition;
  const { allowlist = [], autoAccept = false, riskLevel = 'medium' } = permissions;
  const needs = needsOf(definition, allowlist);
  const critical = riskLevel === 'critical';
  const capability: Capability = {
    action: 'run',
    description,
    ...((!autoAccept || critical) && { requiresConfirmation: true }),
    ...(critical && { destructive: true }),
  };
  return {
    needs,
    tier: highestTier(BY_RISK[riskLevel], tierOfReach(needs)),
    capabilities: [capability],
  };
};

export const moduleReach = (definition: ModuleDefinition): Reach => {
  const { description, tier, capabilities = [{ action: 'run', description }] } = definition;
  const needs = needsOf(definition, []);
  const floor = tierOfReach(needs);
  return {
    needs,
    tier: highestTier(tier, floor),
    capabilities: capabilities.map((capability) =>
      capability.tier === undefined
        ? capability
        : { ...capability, tier: highestTier(capability.tier, floor) },
    ),
  };
};
