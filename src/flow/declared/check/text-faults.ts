/**
 * Warns about texts that look like references or templates. A text is taken as it is, so a step would get
 * the words `steps.a.data` and not the data. `{ value: … }` says that the text is meant.
 */
import type { FlowFault } from '../../../contract/flow-data.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { FlowPath, StepNode } from '../step-tree.ts';

type Fault = Omit<FlowFault, 'line' | 'column'>;

const PATH = /^(?:steps\.[A-Za-z]\w*\.(?:data|error|status|success)|input\.[A-Za-z_])[\w.[\]"-]*$/;
const TEMPLATE = /(?:\{\{|\$\{)[{\s]*(?:input|steps|item)[.[]/;
const IS_TEXT = 'a text is taken as it is';

const warningOf = (text: string): string | undefined => {
  if (PATH.test(text)) return `${IS_TEXT}; for the value write { from: ${text} }`;
  return TEMPLATE.test(text)
    ? `${IS_TEXT}, never as a template; write { cel: ... }, as in { cel: "'about ' + input.topic" }`
    : undefined;
};

const walk = (value: unknown, path: FlowPath, faults: Fault[]): void => {
  if (typeof value === 'string') {
    const message = warningOf(value);
    if (message !== undefined) faults.push({ path, message, severity: 'warning' });
  } else if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) walk(each, [...path, at], faults);
  } else if (isRecord(value)) {
    const [only, ...others] = Object.keys(value);
    if (others.length === 0 && ['from', 'cel', 'value'].includes(only ?? '')) return;
    for (const [key, each] of Object.entries(value)) walk(each, [...path, key], faults);
  }
};

/** Lists warnings about the values of steps. */
export const textFaults = (nodes: readonly StepNode[]): readonly Fault[] => {
  const faults: Fault[] = [];
  for (const { step, path } of nodes) {
    for (const member of ['input', 'details', 'output'] as const) {
      walk(step[member], [...path, member], faults);
    }
  }
  return faults;
};
