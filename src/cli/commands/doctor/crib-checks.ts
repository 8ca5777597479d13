/** The checks of `doctor` on the crib: those of `crib.health`, tools summed up. */
import type { Catalog } from '../../../contract/catalog.ts';
import {
  type HealthCheck,
  type HealthCheckResult,
  type HealthStatus,
  isOutage,
} from '../../../contract/health.ts';
import { counted } from '../../output/format-units.ts';

/** More names than these do not help: the suggested command lists all. */
const MAX_NAMES = 5;

const namesOf = (results: readonly HealthCheckResult[]): string => {
  const names = results.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = results.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Sums up the tools: a line for those that fail, one for those that lack something. */
const toolLines = (tools: readonly HealthCheckResult[]): readonly HealthCheck[] => {
  const fix = 'See what each needs: toolcrib tools health';
  const unwell = tools.filter(({ healthy }) => !healthy);
  const failing = unwell.filter(isOutage);
  const unset = unwell.filter((result) => !isOutage(result));
  const line = (state: HealthCheck['state'], message: string): HealthCheck =>
    state === 'ok' ? { name: 'tools', state, message } : { name: 'tools', state, message, fix };
  return [
    line('ok', `${tools.length - unwell.length} of ${counted(tools.length, 'tool')} would work`),
    ...(failing.length > 0 ? [line('broken', `Failing: ${namesOf(failing)}`)] : []),
    ...(unset.length > 0 ? [line('warning', `Not set up here: ${namesOf(unset)}`)] : []),
  ];
};

/** Makes lines of a status: one for each check of a part, and a few for all tools. */
export const healthLines = ({ checks }: HealthStatus): readonly HealthCheck[] => [
  ...checks.filter(({ kind }) => kind !== 'tool').flatMap((result) => result.checks),
  ...toolLines(checks.filter(({ kind }) => kind === 'tool')),
];

/** Lists tools that were renamed because their name was taken, and tools that were refused. */
export const loadLines = ({ loads }: Pick<Catalog, 'loads'>): readonly HealthCheck[] =>
  loads.flatMap(({ source, renamed, refused }) => [
    ...renamed.map(
      ({ from, to }): HealthCheck => ({
        name: 'tools',
        state: 'warning',
        message: `${source}: ${from} is called ${to} here, its name was taken`,
      }),
    ),
    ...refused.map(
      ({ tool, reason }): HealthCheck => ({
        name: 'tools',
        state: 'warning',
        message: `${source}: ${tool} was refused: ${reason}`,
      }),
    ),
  ]);
