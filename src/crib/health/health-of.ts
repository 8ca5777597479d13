/** `crib.health`: checks on request and by schedule, their kept results, and the circuits. */
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import {
  type CheckAllOptions,
  type CheckOptions,
  type CircuitStatus,
  type CribHealth,
  HEALTH_KINDS,
  type HealthCheckResult,
  type HealthSchedule,
  type HealthStatus,
} from '../../contract/health.ts';
import type { CribJobs } from '../../contract/job.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { Servers } from '../../contract/servers.ts';
import type { CribSources } from '../../contract/sources.ts';
import { SANDBOX_TYPES } from '../../governance/isolation.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import {
  type ArgumentCheck,
  atLeastOne,
  either,
  fields,
  flag,
  oneOf,
  optional,
  text,
} from '../../kit/data/check-arguments.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import type { HealthService } from '../../observation/health/health-service.ts';
import type { Registry } from '../../registry/registry.ts';
import type { MethodChecks } from '../members/checked.ts';
import type { MemberDeps } from '../members/member-deps.ts';
import type { ReadySandboxes } from '../members/ready-sandboxes.ts';

const kind = oneOf(...Object.keys(HEALTH_KINDS));

const kindList: ArgumentCheck = (value) =>
  Array.isArray(value)
    ? value.map(kind).find((fault) => fault !== undefined)
    : 'has to be a list of kinds';

const checkOptions = {
  timeoutMs: optional(atLeastOne),
  kinds: optional(kindList),
  startServers: optional(either(flag, oneOf('untried'))),
} satisfies Record<keyof CheckAllOptions, ArgumentCheck>;

export const HEALTH_CHECKS: MethodChecks<CribHealth> = {
  check: {
    subject: optional(either(text, fields(checkOptions))),
    options: optional(fields({ timeoutMs: checkOptions.timeoutMs })),
  },
  history: { subject: text },
  circuit: { tool: text },
  schedule: {
    subject: text,
    cron: text,
    options: optional(fields({ timeZone: optional(text) })),
  },
  unschedule: { subject: text },
};

/** The settings that only this member needs. */
export interface HealthSettings {
  readonly config: Config;
  /** The user's folder, absolute. */
  readonly home: string;
  readonly secrets: Secrets | undefined;
  readonly hasOwnModel: boolean;
  redactor(): Promise<Redactor>;
}

export interface HealthMemberDeps extends Pick<MemberDeps, 'runtime' | 'open' | 'engine'> {
  readonly healthSettings: HealthSettings;
  readonly registry: Registry;
  readonly events: Events;
  readonly servers: Pick<Servers, 'list' | 'test'>;
  readonly sources: CribSources;
  readonly jobs: Pick<CribJobs, 'list'>;
  readonly sandboxes: ReadySandboxes;
}

const openService = async (deps: HealthMemberDeps): Promise<HealthService> => {
  const [{ HealthService }, { openRound }] = await Promise.all([
    import('../../observation/health/health-service.ts'),
    import('./open-round.ts'),
  ]);
  const { healthSettings, sandboxes, open, ...rest } = deps;
  const store = async () => (await open()).store;
  const round = {
    ...rest,
    ...healthSettings,
    store,
    pending: new Set<string>(),
    sandboxes: () => sandboxes.readiness(),
  };
  return new HealthService({
    runtime: deps.runtime,
    events: deps.events,
    store,
    sandboxTypes: SANDBOX_TYPES,
    openRound: (options) => openRound(round, options),
  });
};

/** Names the schedule of the configuration. */
const configuredSchedules = ({ config }: HealthSettings): readonly HealthSchedule[] => {
  const { healthChecks: cron } = config.observation;
  return cron === undefined ? [] : [{ subject: 'all', cron, configured: true }];
};

const circuitsOf = ({ registry, engine, runtime }: HealthMemberDeps) => {
  const now = (): number => runtime.now();
  return {
    circuit: async (name: string): Promise<CircuitStatus> => {
      const entry = registry.get(name);
      if (!entry) {
        throw new ToolFailure('NOT_FOUND', 'There is no tool of that name.', {
          suggestions: ['List the tools: crib.tools.list().'],
        });
      }
      const { tool } = entry;
      const closed: CircuitStatus = { tool: tool.name, state: 'closed', failures: 0 };
      return engine()?.shared.circuitOf(tool, now()) ?? closed;
    },
    circuits: (): readonly CircuitStatus[] => {
      const { circuitOf } = engine()?.shared ?? {};
      if (!circuitOf) return [];
      return registry
        .list()
        .map(({ tool }) => circuitOf(tool, now()))
        .filter(({ state }) => state !== 'closed');
    },
  };
};

const schedulesOf = (deps: HealthMemberDeps, service: () => Promise<HealthService>) => {
  const load = () => import('../../observation/health/health-schedules.ts');
  const opened = async () => ({
    memory: (await deps.open()).store.memory,
    runtime: deps.runtime,
  });
  return {
    schedule: async (subject, cron, { timeZone } = {}) => {
      const zone = timeZone === undefined ? {} : { timeZone };
      const id = await (await service()).idOf(subject);
      await (await load()).writeSchedule({ subject: id, cron, ...zone }, await opened());
    },
    unschedule: async (subject) => {
      // The subject may be missing: then the given id is all there is.
      const id = await (await service()).idOf(subject).catch(() => subject);
      return (await load()).removeSchedule(id, await opened());
    },
    schedules: async () => [
      ...configuredSchedules(deps.healthSettings),
      ...(await (await load()).readSchedules(await opened())),
    ],
  } satisfies Partial<CribHealth>;
};

export const healthOf = (deps: HealthMemberDeps): CribHealth => {
  const service = lazyAsync(() => openService(deps));
  function check(options?: CheckAllOptions): Promise<HealthStatus>;
  function check(subject: string, options?: CheckOptions): Promise<HealthCheckResult>;
  async function check(
    subject?: string | CheckAllOptions,
    options?: CheckOptions,
  ): Promise<HealthStatus | HealthCheckResult> {
    const opened = await service();
    return typeof subject === 'string'
      ? opened.checkOne(subject, options)
      : opened.checkAll(subject);
  }
  return {
    check,
    latest: async () => (await service()).latest(),
    history: async (subject) => (await service()).history(subject),
    ...circuitsOf(deps),
    ...schedulesOf(deps, service),
    sandboxes: () => deps.sandboxes.readiness(),
  };
};
