/** `crib.flows`, `crib.jobs`, `crib.chains` and `crib.devices`: the members that make calls on behalf of a caller. */
import type { CallAs } from '../../contract/call-options.ts';
import type { CribChains } from '../../contract/chain.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import type { CribDevices } from '../../contract/devices.ts';
import type { Events } from '../../contract/events.ts';
import type { CribFlows } from '../../contract/flow.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import type { CribJobs } from '../../contract/job.ts';
import type { Explanation } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Store } from '../../contract/store.ts';
import type { BackgroundTypeDeps } from '../../job/background-types.ts';
import type { JobSettings } from '../../job/job-service.ts';
import { storedDevices } from '../../job/push-devices.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { callerOf } from '../../pipeline/new-call.ts';
import type { Registry } from '../../registry/registry.ts';
import type { OpenedQueue } from '../queue/open-queue.ts';
import { checked } from './checked.ts';
import { chainsOf } from './flows/chains-of.ts';
import { CHAIN_CHECKS, FLOW_CHECKS } from './flows/flow-checks.ts';
import { flowsOf } from './flows/flows-of.ts';
import { JOB_CHECKS } from './job-checks.ts';
import { jobsOf } from './jobs-of.ts';
import { DEVICE_CHECKS } from './member-checks.ts';
import type { MemberDeps } from './member-deps.ts';

export interface BackgroundDeps {
  readonly registry: Registry;
  readonly events: Events;
  /** Trusted flow files of the project. */
  readonly flowFiles: ReadonlyMap<string, Uint8Array> | undefined;
  readonly syncEveryRecord: boolean;
  /** Continues only the runs that were started or are waited for here. */
  readonly onlyAwaitedRuns: boolean;
  /** Returns the average time of a tool's calls so far. */
  recordedMs(tool: string): number | undefined;
  readonly jobSettings: JobSettings;
  /** The available services for jobs. */
  readonly services: BackgroundTypeDeps['services'];
  openQueue(store: Store): Promise<OpenedQueue>;
}

/** How the crib makes calls. */
interface Calls {
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
  explain(tool: string, input: unknown, as: CallAs): Promise<Explanation>;
}

export interface BackgroundMembers {
  readonly flows: CribFlows;
  readonly jobs: CribJobs;
  readonly chains: CribChains;
  readonly devices: CribDevices;
  readonly continueFlows: CribHost['continueFlows'];
  readonly addJob: CribHost['addJob'];
  readonly deliverJob: CribHost['deliverJob'];
  /** Lets jobs end and stops continuing runs; both stay on record. */
  close(): Promise<void>;
}

const devicesOf = ({ runtime, open }: MemberDeps): CribDevices => {
  const devices = storedDevices({
    now: () => runtime.now(),
    memory: async () => (await open()).store.memory,
  });
  return {
    add: async (device, as) => devices.add(callerOf(as).userId, device),
    list: async (as) => devices.list(callerOf(as).userId),
    remove: async (deviceId, as) => devices.remove(callerOf(as).userId, deviceId),
  };
};

export const backgroundOf = (
  members: MemberDeps,
  deps: BackgroundDeps,
  calls: Calls,
): BackgroundMembers => {
  const machine = lazyAsync(async () => (await import('./open-machine.ts')).openMachine());
  const shared = { ...members, ...calls, machine, tools: deps.registry };
  const { events, recordedMs, flowFiles, syncEveryRecord, onlyAwaitedRuns } = deps;
  const { jobSettings, services } = deps;
  const settings = { flowFiles, syncEveryRecord, onlyAwaitedRuns };
  const isJobCancelled = (run: FlowRun): Promise<boolean> => jobs.isJobCancelled(run);
  const flows = flowsOf({ ...shared, ...settings, events, recordedMs, isJobCancelled });
  const jobs = jobsOf({
    ...shared,
    jobSettings,
    services,
    flows: flows.members,
    continueFlows: flows.continueDue,
    openQueue: async () => deps.openQueue((await members.open()).store),
  });
  return {
    flows: checked(flows.members, FLOW_CHECKS, {
      sync: ['register'],
      copied: ['start', 'send', 'resume', 'requestApproval'],
    }),
    jobs: checked(jobs.members, JOB_CHECKS, {
      sync: ['register'],
      copied: ['enqueue', 'schedule'],
    }),
    devices: checked(devicesOf(members), DEVICE_CHECKS),
    chains: checked(chainsOf({ ...shared, data: flows.data }), CHAIN_CHECKS),
    continueFlows: flows.continueDue,
    addJob: jobs.add,
    deliverJob: jobs.deliver,
    close: async () => {
      await jobs.close();
      await flows.close();
    },
  };
};
