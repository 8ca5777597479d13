/**
 * What a composed tool says of itself, from its parts: the strictest tier and labels, the union of
 * what they need. Policy and budget judge the whole by it before the first part runs; each part is
 * judged again by itself when it is called.
 */
import type { Needs, PathNeed } from '../../contract/needs.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import type { Capability, Composition, Dependency, Tier, Tool } from '../../contract/tool.ts';
import { TIERS } from '../../contract/tool.ts';
import { isDelicate, isSink, tierInUse } from '../../governance/policy/capability.ts';
import { toolLabels } from '../../registry/load/tool-labels.ts';
import { MAX_CALLS, refused } from './compose-options.ts';
import { jsonOf } from './object-shape.ts';

const SENSITIVITY = ['public', 'private', 'secret'] as const;
/** What the configuration gives a tool without a limit of its own. */
const DEFAULT_TIMEOUT_MS = 30_000;

const distinct = (values: readonly string[]): readonly string[] => [...new Set(values)];

const strictestTier = (parts: readonly Tool[]): Tier =>
  TIERS[Math.max(...parts.map((part) => TIERS.indexOf(tierInUse(part, undefined))))] ??
  'external_api';

const labelsOf = (parts: readonly Tool[]): Pick<Tool, 'labels'> => {
  const labels = parts.map(toolLabels);
  const ranks = labels.map(({ sensitivity }) => SENSITIVITY.indexOf(sensitivity));
  const sensitivity = SENSITIVITY[Math.max(...ranks)] ?? 'secret';
  const isUntrusted = labels.some(({ trust }) => trust === 'untrusted');
  return {
    labels: {
      ...(isUntrusted && { trust: 'untrusted' }),
      ...(sensitivity !== 'public' && { sensitivity }),
    },
  };
};

const distinctPaths = (paths: readonly PathNeed[]): readonly PathNeed[] => [
  ...new Map(paths.map((need) => [`${need.access} ${need.path}`, need])).values(),
];

const needsOf = (parts: readonly Tool[]): Pick<Tool, 'needs'> => {
  const all = parts.flatMap(({ needs }) => needs ?? []);
  const lists = {
    paths: distinctPaths(all.flatMap(({ paths }) => paths ?? [])),
    hosts: distinct(all.flatMap(({ hosts }) => hosts ?? [])),
    commands: distinct(all.flatMap(({ commands }) => commands ?? [])),
    secrets: distinct(all.flatMap(({ secrets }) => secrets ?? [])),
  };
  const used = Object.entries(lists).filter(([, list]) => list.length > 0);
  const needs: Needs = {
    ...Object.fromEntries(used),
    ...(all.some(({ model }) => model) && { model: true }),
  };
  return Object.keys(needs).length === 0 ? {} : { needs };
};

/** The exact versions, because everything here was read from them. */
const dependenciesOf = (parts: readonly Tool[]): readonly Dependency[] => [
  ...new Map(parts.map(({ name, version }) => [name, { tool: name, range: version }])).values(),
];

const capabilityOf = (parts: readonly Tool[], description: string): Capability => ({
  action: 'run',
  description,
  ...(parts.some((part) => isDelicate(part, undefined)) && { destructive: true }),
});

const callsOf = ({ composition }: Tool): number => 1 + (composition?.maxCalls ?? 0);

/** Counts the calls that a call makes at most. Throws where they are too many. */
export const maxCallsOf = (parts: readonly Tool[], kind: string): number => {
  const calls = parts.reduce((sum, part) => sum + callsOf(part), 0);
  if (calls <= MAX_CALLS) return calls;
  throw refused(kind, `would make up to ${calls} calls; ${MAX_CALLS} is the most.`);
};

export const compositionOf = (
  kind: Composition['kind'],
  parts: readonly Tool[],
  maxCalls = maxCallsOf(parts, kind),
): Composition => ({ kind, parts: distinct(parts.map(({ name }) => name)), maxCalls });

/** Gives the schema of the value that a part hands on, where it is known; a composed one wraps it in a report. */
export const handedOnSchema = ({ composition, output }: Tool): JsonSchema | undefined => {
  if (composition !== undefined) return composition.output;
  return output === undefined ? undefined : jsonOf(output, 'output');
};

/** Makes the fields that every composed tool has in common. */
export const combinedFacts = (parts: readonly Tool[], description: string) => {
  const tier = strictestTier(parts);
  const permissions = parts.flatMap((part) => part.permissions ?? [`tool:${part.name}`]);
  return {
    source: 'composed' as const,
    category: 'custom' as const,
    tier,
    callsTools: true as const,
    capabilities: [capabilityOf(parts, description)],
    dependencies: dependenciesOf(parts),
    permissions: distinct(permissions),
    ...(parts.some((part) => isSink(part, tierInUse(part, undefined))) && { sink: true as const }),
    ...(parts.every(({ idempotent }) => idempotent) && { idempotent: true }),
    ...labelsOf(parts),
    ...needsOf(parts),
  };
};

const timeoutOf = ({ timeoutMs = DEFAULT_TIMEOUT_MS }: Tool): number => timeoutMs;

export const sumOfTimeouts = (parts: readonly Tool[]): number =>
  parts.reduce((sum, part) => sum + timeoutOf(part), 0);

export const longestTimeout = (parts: readonly Tool[]): number => Math.max(...parts.map(timeoutOf));
