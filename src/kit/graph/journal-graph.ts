/** Makes a graph of the steps of a run: who ran after whom, as their times show. */
import {
  type DrawnEdge,
  type DrawnNode,
  type FlowDrawing,
  type StepView,
  stepLabel,
} from '../../contract/flow-view.ts';
import { boundedDrawing } from './bounded-drawing.ts';

/** More would not be readable, and the edges of many steps cost time to find. */
export const MAX_DRAWN_STEPS = 300;

interface Span {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly order: number;
}

const spanOf = ({ key, startedAt, finishedAt }: StepView, order: number): Span => ({
  id: key,
  from: startedAt,
  to: finishedAt ?? Number.POSITIVE_INFINITY,
  order,
});

/** Says whether a step was over before another began. Steps of one moment count by their order. */
const isBefore = (one: Span, other: Span): boolean =>
  one.to < other.from || (one.to === other.from && one.order < other.order);

/** Returns the steps directly before one: those with no other step in between. */
const predecessors = (span: Span, spans: readonly Span[]): readonly Span[] => {
  const earlier = spans.filter((other) => isBefore(other, span));
  const lastBegin = Math.max(...earlier.map(({ from }) => from));
  // A step that was over before the last of them began has that one in between.
  const nearest = earlier.filter(({ to }) => to >= lastBegin);
  return nearest.filter((one) => !nearest.some((other) => isBefore(one, other)));
};

const noteOf = ({ state, startedAt, finishedAt, costUsd = 0, error }: StepView): string => {
  const time = finishedAt === undefined ? '' : `${finishedAt - startedAt} ms`;
  const cost = costUsd > 0 ? `$${Number(costUsd.toFixed(6))}` : '';
  const trouble = state === 'failed' ? (error?.code ?? 'failed') : '';
  return [trouble, time, cost].filter((part) => part !== '').join(' · ');
};

const nodeOf = (step: StepView): DrawnNode => ({
  id: step.key,
  label: stepLabel(step),
  kind: step.kind,
  state: step.state,
  note: noteOf(step),
});

/** Draws the first steps of a run, in order. */
export const journalGraph = (steps: readonly StepView[]): FlowDrawing => {
  const drawn = steps.slice(0, MAX_DRAWN_STEPS);
  const spans = drawn.map(spanOf);
  const edges = spans.flatMap((span): readonly DrawnEdge[] =>
    predecessors(span, spans).map(({ id }) => ({ from: id, to: span.id })),
  );
  return boundedDrawing({ nodes: drawn.map(nodeOf), edges });
};
