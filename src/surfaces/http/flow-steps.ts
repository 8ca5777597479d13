/** The steps of a run as a reader sees them, with their cost and their drawing. */
import type { FlowRunInfo } from '../../contract/flow.ts';
import type { FlowRun } from '../../contract/flow-store.ts';
import { type FlowDrawing, isNote, type StepView, stepViews } from '../../contract/flow-view.ts';
import { declaredDrawing } from '../../kit/graph/declared-drawing.ts';
import { journalGraph } from '../../kit/graph/journal-graph.ts';
import { mermaidText } from '../../kit/graph/mermaid-text.ts';
import type { Identity } from './auth/identity.ts';
import { seesContent, shownStep } from './flow-access.ts';
import type { HttpServices } from './http-services.ts';
import type { WholeReply } from './route.ts';

/** So many steps of a run are shown; a run may have any number. */
const MAX_STEPS = 500;

/** Draws the declared steps with their states, or those that the code of the flow has made. */
const drawingOf = async (
  { id, flow, version }: FlowRun,
  steps: readonly StepView[],
  { crib }: HttpServices,
): Promise<FlowDrawing> => {
  const nodes = await crib.flows.nodes(id);
  if (!nodes) return journalGraph(steps);
  return declaredDrawing(await crib.flows.graph(`${flow}@${version}`), nodes);
};

export const shownSteps = async (run: FlowRunInfo, services: HttpServices, identity: Identity) => {
  const { crib, deps } = services;
  const all = (await crib.flows.steps(run.id)).filter((step) => !isNote(step));
  const { audit } = await crib.store();
  const isWhole = seesContent(run, identity);
  const steps = (await stepViews(all.slice(0, MAX_STEPS), audit)).map((step) => {
    const trace = step.executionId === undefined ? undefined : deps.trace?.(step.executionId);
    return { ...shownStep(step, isWhole), ...(trace && { trace }) };
  });
  const graph = await drawingOf(run, steps, services);
  const isCut = all.length > MAX_STEPS;
  return { steps, stepCount: all.length, isCut, costUsd: run.cost.usd, graph };
};

const PICTURE_HEADERS = {
  // Opened by itself the picture is a document: it may run nothing and load nothing.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cache-control': 'no-store',
};

export const pictureOf = async (
  graph: FlowDrawing,
  format: 'svg' | 'mermaid',
): Promise<WholeReply> => {
  const isPicture = format === 'svg';
  const body = isPicture
    ? await (await import('../../kit/graph/graph-svg.ts')).graphSvg(graph)
    : mermaidText(graph);
  const type = isPicture ? 'image/svg+xml' : 'text/plain; charset=utf-8';
  return { answer: { status: 200, headers: { ...PICTURE_HEADERS, 'content-type': type }, body } };
};
