/** The runs of a client as resources: `toolcrib://runs/{runId}`, page by page. */
import type { Crib } from '../../../contract/crib.ts';
import { FINISHED } from '../../../contract/flow-store.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { ResourceCatalog } from '../lists/collection.ts';
import { pageRange } from '../lists/own-resources.ts';
import { findOwnRun, type RunState, stateOf } from './own-runs.ts';
import { RUNS, stateText } from './run-reply.ts';

/** Shows a run without its seals and the rights of its caller. */
const viewOf = (state: RunState): Record<string, unknown> => {
  const { id, flow, version, status, createdAt, updatedAt, output, error } = state.run;
  return {
    runId: id,
    flow,
    version,
    status,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    ...(!FINISHED.has(status) && { state: stateText(state) }),
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

export const runResources = (crib: Crib, runtime: Pick<Runtime, 'now'>): ResourceCatalog => ({
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
    const whole = JSON.stringify(viewOf(await stateOf(crib, run, runtime.now())));
    return [{ uri, mimeType: 'application/json', text: whole.slice(offset, offset + limit) }];
  },
});
