/**
 * Whose runs a request may see and touch: its own, or all for an admin. A viewer reads all of them
 * without what they were given and what came out. A run of another user does not exist for the rest.
 */
import type { CallAs } from '../../contract/call-options.ts';
import type { FlowRunInfo } from '../../contract/flow.ts';
import type { FlowFilter, FlowRun } from '../../contract/flow-store.ts';
import type { StepView } from '../../contract/flow-view.ts';
import type { Page, PageQuery } from '../door/page-of.ts';
import { timePage } from '../door/time-page.ts';
import { callerOfIdentity, type Identity } from './auth/identity.ts';
import { notFound } from './error-reply.ts';
import type { HttpServices } from './http-services.ts';
import { withheldError } from './withheld-error.ts';

/** Makes the caller that the crib judges by; `undefined` for a viewer, who may read all runs. */
const readerOf = (identity: Identity, { crib }: HttpServices): CallAs | undefined =>
  identity.role === 'viewer' ? undefined : callerOfIdentity(identity, crib.tools);

/** Finds a run to be shown. Throws NOT_FOUND. */
export const visibleRun = async (
  id: string,
  services: HttpServices,
  identity: Identity,
): Promise<FlowRunInfo> => {
  const run = await services.crib.flows.get(id, readerOf(identity, services));
  if (run) return run;
  throw notFound('The run');
};

/** Finds a run to be changed, and who changes it. Throws NOT_FOUND. */
export const ownRun = async (
  id: string,
  services: HttpServices,
  identity: Identity,
): Promise<{ readonly run: FlowRun; readonly as: CallAs }> => {
  const as = callerOfIdentity(identity, services.crib.tools);
  const run = await services.crib.flows.get(id, as);
  if (run) return { run, as };
  throw notFound('The run');
};

/** Says whether a reader sees what a run was given and what came out. */
export const seesContent = ({ caller }: FlowRun, { role, userId }: Identity): boolean =>
  role === 'admin' || (role !== 'viewer' && caller.userId === userId);

/** Shows a run without its seals and the rights of its caller. */
export const shownRun = (run: FlowRun, identity: Identity) => {
  const { epoch: _, seal: _seal, endSeal: _end, dailyUsd: _usd, trace: _trace, ...other } = run;
  const { input, output, error, ...rest } = other;
  const { userId, agentId, sessionId } = run.caller;
  const shown = { ...rest, caller: { userId, agentId, sessionId } };
  if (!seesContent(run, identity)) {
    return { ...shown, ...(error && { error: withheldError(error) }), withheld: true as const };
  }
  return { ...shown, input, ...(output !== undefined && { output }), ...(error && { error }) };
};

/** Shows a step; its input is redacted already, its value and its error are withheld with those of the run. */
export const shownStep = (step: StepView, isWhole: boolean): StepView => {
  if (isWhole) return step;
  const { value: _, input: _input, summary: _summary, error, ...shown } = step;
  return { ...shown, ...(error && { error: withheldError(error) }) };
};

/** Lists one page of the runs that a reader may see. */
export const runPage = (
  filter: FlowFilter,
  query: PageQuery,
  { services, identity }: { readonly services: HttpServices; readonly identity: Identity },
): Promise<Page<FlowRun>> => {
  const as = readerOf(identity, services);
  return timePage((page) => services.crib.flows.list({ ...filter, ...page }, as), query);
};
