/** The runs of one client: those that it started, under the identity that it has proven. */
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import type { Crib } from '../../../contract/crib.ts';
import { stopOf } from '../../../contract/flow-stop.ts';
import { FINISHED, type FlowRun } from '../../../contract/flow-store.ts';
import { readPart } from '../../door/time-page.ts';
import type { McpCaller } from '../mcp-options.ts';

/**
 * Tells whether a run belongs to a client. A proven identity has to be the same one; where none is
 * proven, as on a pipe, user and agent have to be the same. No role opens the runs of others, and a
 * run that another run started is no request of a client.
 */
const isOwnRun = ({ caller, parent }: FlowRun, mine: McpCaller): boolean => {
  const { userId = LOCAL_CALLER.userId, agentId, authenticated } = mine;
  if (parent !== undefined || caller.userId !== userId) return false;
  const proven = caller.authenticated;
  if (!proven && !authenticated) return caller.agentId === agentId;
  return (
    proven?.userId === authenticated?.userId &&
    proven?.agentId === authenticated?.agentId &&
    proven?.sessionId === authenticated?.sessionId
  );
};

const MAX_ID_CHARS = 200;

/** Reads a run of this client; `undefined` for all others. */
export const findOwnRun = async (
  { flows }: Crib,
  runId: unknown,
  mine: McpCaller,
): Promise<FlowRun | undefined> => {
  if (typeof runId !== 'string' || runId === '' || runId.length > MAX_ID_CHARS) return undefined;
  const run = await flows.get(runId, mine);
  return run && isOwnRun(run, mine) ? run : undefined;
};

/** So many of the newest runs of the user are looked through. */
const MAX_READ = 1_000;

/** So many are read at a time: each may hold a megabyte. */
const READ_AT_ONCE = 20;

/** Lists the runs of this client, newest first, without what they were given and what came out. */
export const listOwnRuns = async (
  { flows }: Crib,
  mine: McpCaller,
): Promise<readonly FlowRun[]> => {
  const { userId = LOCAL_CALLER.userId } = mine;
  const runs: FlowRun[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < MAX_READ; count += READ_AT_ONCE) {
    const { items, next } = await readPart((page) => flows.list({ userId, ...page }, mine), {
      cursor,
      limit: READ_AT_ONCE,
    });
    for (const { output: _, ...run } of items) {
      if (isOwnRun(run, mine)) runs.push({ ...run, input: null });
    }
    if (next === undefined) break;
    cursor = next;
  }
  return runs;
};

const APPROVAL = 'approval:';
const CHILD = 'run:';
const MAX_DEPTH = 8;

/** Collects the approvals that a run waits for, itself or in a run that it has started. */
export const awaitedApprovals = async (
  crib: Crib,
  { waitsFor = [] }: FlowRun,
  depth = 0,
): Promise<readonly string[]> => {
  const approvals: string[] = [];
  for (const each of waitsFor) {
    if (each.startsWith(APPROVAL)) approvals.push(each.slice(APPROVAL.length));
    if (!each.startsWith(CHILD) || depth >= MAX_DEPTH) continue;
    const child = await crib.flows.get(each.slice(CHILD.length));
    if (child) approvals.push(...(await awaitedApprovals(crib, child, depth + 1)));
  }
  return approvals;
};

/** A run and what it waits for. */
export interface RunState {
  readonly run: FlowRun;
  /** Approvals that it waits for, itself or in a run that it has started. */
  readonly approvals: readonly string[];
  /** Blocked runs that it has started, where nothing but people can continue it. */
  readonly blocked: readonly FlowRun[];
}

/** Reads what a run waits for. */
export const stateOf = async (crib: Crib, run: FlowRun, now: number): Promise<RunState> => {
  if (FINISHED.has(run.status)) return { run, approvals: [], blocked: [] };
  const stop = await stopOf(crib.flows, run, now);
  return { run, approvals: await awaitedApprovals(crib, run), blocked: stop?.blocked ?? [] };
};

/** Tells whether a run is blocked, or comes down to runs that are, and nobody was asked anything. */
export const isStuck = ({ run, approvals, blocked }: RunState): boolean =>
  run.status === 'blocked' || (approvals.length === 0 && blocked.length > 0);
