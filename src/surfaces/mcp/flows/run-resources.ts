/** The runs of a client as resources: `toolcrib://runs/{runId}`, page by page. */
import type { Crib } from '../../../contract/crib.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import type { ResourceCatalog } from '../lists/collection.ts';
import { pageRange } from '../lists/own-resources.ts';
import { awaitedApprovals, findOwnRun } from './own-runs.ts';
import { RUNS, stateText } from './run-reply.ts';

/** Shows a run without its seals and the rights of its caller. */
const viewOf = async (crib: Crib, run: FlowRun): Promise<Record<string, unknown>> => {
  const { id, flow, version, status, createdAt, updatedAt, output, error } = run;
  const isOver = status === 'completed' || status === 'failed' || status === 'cancelled';
  return {
    ...{ runId: id, flow, version, status },
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(!isOver && { state: stateText(run, await awaitedApprovals(crib, run)) }),
    ...(error && { error: { code: error.code, message: error.message } }),
    ...(output !== undefined && { output }),
  };
};

const idOf = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

export const runResources = (crib: Crib): ResourceCatalog => ({
  label: 'runs',
  // A client knows the runs that it has started.
  list: async () => [],
  templates: () => [
    {
      uriTemplate: `${RUNS}{runId}{?offset,limit}`,
      name: 'Run of a flow',
      description: 'State and output of a run that this client has started, as JSON.',
      mimeType: 'application/json',
    },
  ],
  read: async (uri, caller) => {
    if (!uri.startsWith(RUNS)) return undefined;
    const [id = '', query = ''] = uri.slice(RUNS.length).split('?', 2);
    const run = await findOwnRun(crib, idOf(id), caller);
    if (!run) return undefined;
    const { offset, limit } = pageRange(query);
    const whole = JSON.stringify(await viewOf(crib, run));
    return [{ uri, mimeType: 'application/json', text: whole.slice(offset, offset + limit) }];
  },
});
