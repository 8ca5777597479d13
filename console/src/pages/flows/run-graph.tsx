/** The graph of a flow or a run. Each step is a button: it opens the step, by mouse or keyboard. */
import {
  Background,
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeHandle,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useEffect, useMemo } from 'react';
import type { Graph } from '../../api/flow-records.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { layoutGraph, noteOf, type PlacedGraph } from './layout-graph.ts';

interface StepData extends Record<string, unknown> {
  readonly label: string;
  readonly state: string;
  readonly note: string;
  readonly isSelected: boolean;
  onSelect(): void;
}

const StepNode = ({ data }: NodeProps<Node<StepData>>) => (
  <>
    <Handle type="target" position={Position.Top} isConnectable={false} />
    <button
      type="button"
      className={`graph-step graph-${data.state}`}
      aria-pressed={data.isSelected}
      onClick={data.onSelect}
    >
      <span className="graph-label">
        <SafeText text={data.label} />
      </span>
      <span className="graph-note">
        <SafeText text={data.note} />
      </span>
    </button>
    <Handle type="source" position={Position.Bottom} isConnectable={false} />
  </>
);

const NODE_TYPES = { step: StepNode };
const FIT = { padding: 0.06, maxZoom: 1 };

interface GraphProps {
  readonly graph: Graph;
  readonly label: string;
  readonly selected: string;
  onSelect(id: string): void;
}

/** Places the ends of edges, so that those of new steps are drawn before the nodes are measured. */
const handlesOf = (width: number, height: number): NodeHandle[] => [
  { type: 'target', position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 },
  { type: 'source', position: Position.Bottom, x: width / 2, y: height, width: 1, height: 1 },
];

const nodesOf = ({ nodes }: PlacedGraph, { selected, onSelect }: GraphProps): Node<StepData>[] =>
  nodes.map((node) => {
    const { id, x, y, width, height, label, state } = node;
    const isSelected = id === selected;
    return {
      ...{ id, type: 'step', position: { x, y }, width, height, measured: { width, height } },
      handles: handlesOf(width, height),
      data: { label, state, note: noteOf(node), isSelected, onSelect: () => onSelect(id) },
    };
  });

const edgesOf = ({ edges }: PlacedGraph): Edge[] =>
  edges.map(({ from, to }) => ({ id: `${from} ${to}`, source: from, target: to }));

const FitOnce = () => {
  const { fitView } = useReactFlow();
  useEffect(() => void fitView(FIT), [fitView]);
  return null;
};

/** Fits the view to the graph when the graph grows, and when the room for it changes. */
const FittedView = ({ shape }: { readonly shape: string }) => {
  const room = useStore(({ width, height }) => `${width} ${height}`);
  return <FitOnce key={`${shape} ${room}`} />;
};

export const RunGraph = (props: GraphProps) => {
  const placed = useMemo(() => layoutGraph(props.graph), [props.graph]);
  const shape = `${placed.width} ${placed.height} ${placed.nodes.length}`;
  return (
    <section className="graph" aria-label={props.label}>
      <ReactFlow
        nodes={nodesOf(placed, props)}
        edges={edgesOf(placed)}
        nodeTypes={NODE_TYPES}
        fitView
        fitViewOptions={FIT}
        minZoom={0.1}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        proOptions={{ hideAttribution: true }}
      >
        <FittedView shape={shape} />
        <Background gap={18} />
        <Controls showInteractive={false} fitViewOptions={FIT} />
      </ReactFlow>
    </section>
  );
};
