/** Joins the settings of a server or source that say how data may flow through its tools. */
import type { AssignedFlow } from '../../contract/tool.ts';

interface FlowSettings {
  readonly labels?: Omit<Partial<AssignedFlow>, 'sink'> | undefined;
  readonly sink?: AssignedFlow['sink'] | undefined;
}

/** Joins the labels of the results and what may be sent out. */
export const labelsAndSink = ({ labels, sink }: FlowSettings): Partial<AssignedFlow> => ({
  ...labels,
  ...(sink !== undefined && { sink }),
});
