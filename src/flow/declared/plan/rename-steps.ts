/** Points everything that used one step at another. Texts of expressions are left alone. */
import type { FlowData, FlowDataStep } from '../../../contract/flow-data.ts';
import { isRecord } from '../../../kit/data/is-record.ts';

type Names = ReadonlyMap<string, string>;

const PATH = /^steps\.([A-Za-z][A-Za-z0-9_]*)/;

const renamedPath = (path: string, names: Names): string =>
  path.replace(PATH, (whole, id: string) => {
    const other = names.get(id);
    return other === undefined ? whole : `steps.${other}`;
  });

/** Rewrites the paths of a value; its depth was checked when it was compiled. */
const renamedValue = (value: unknown, names: Names): unknown => {
  if (Array.isArray(value)) return value.map((each) => renamedValue(each, names));
  if (!isRecord(value)) return value;
  const keys = Object.keys(value);
  if (keys.length === 1 && typeof value.from === 'string') {
    return { from: renamedPath(value.from, names) };
  }
  if (keys.length === 1 && (keys[0] === 'value' || keys[0] === 'cel')) return value;
  return Object.fromEntries(keys.map((key) => [key, renamedValue(value[key], names)]));
};

const renamedStep = (step: FlowDataStep, names: Names): FlowDataStep => {
  const value = (each: unknown): unknown => renamedValue(each, names);
  const { after, forEach, onError, else: otherwise, steps } = step;
  return {
    ...step,
    ...(step.input !== undefined && { input: value(step.input) }),
    ...(step.details !== undefined && { details: value(step.details) }),
    ...(step.output !== undefined && { output: value(step.output) }),
    ...(after && { after: [...new Set(after.map((id) => names.get(id) ?? id))] }),
    ...(forEach && { forEach: { ...forEach, items: value(forEach.items) } }),
    ...(typeof onError === 'object' && {
      onError: {
        ...onError,
        fallback: { ...onError.fallback, input: value(onError.fallback.input) },
      },
    }),
    ...(typeof otherwise === 'object' && {
      else: { ...otherwise, input: value(otherwise.input) },
    }),
    ...(steps && { steps: steps.map((each) => renamedStep(each, names)) }),
  };
};

export const renameSteps = (flow: FlowData, names: Names): FlowData =>
  names.size === 0
    ? flow
    : {
        ...flow,
        steps: flow.steps.map((step) => renamedStep(step, names)),
        ...(flow.output !== undefined && { output: renamedValue(flow.output, names) }),
      };
