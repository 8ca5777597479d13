/** Reads a flow from YAML or from an object, and says where each fault is. */
import { ToolFailure } from '../../contract/errors.ts';
import type { FlowData, FlowFault, ParsedFlow } from '../../contract/flow-data.ts';
import { sentence } from '../../contract/sentence.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { readYaml, type YamlReading, type YamlRules } from '../../kit/text/strict-yaml.ts';
import { checkShape } from './check/check-shape.ts';
import { explainIssue, type FieldFault, type SchemaIssue } from './explain-issue.ts';
import { flowSchema, MAX_FLOW_FAULTS } from './flow-schema.ts';
import { withoutFaults } from './without-faults.ts';

const MAX_TEXT = 1024 * 1024;
const MAX_DEPTH = 64;
const MAX_NODES = 250_000;
const RULES: YamlRules = { maxDepth: MAX_DEPTH, maxNodes: MAX_NODES, aliases: 'refuse' };

type Fault = Omit<FlowFault, 'line' | 'column'>;

type FlowDataSource = ReturnType<typeof flowSchema.parse>;

interface CheckedData extends Pick<ParsedFlow, 'flow' | 'readable'> {
  readonly faults: readonly FieldFault[];
}

/** Checks the rules that no single field shows, of data that fits the schema. */
const checkRules = (data: FlowDataSource, earlier: readonly FieldFault[] = []): CheckedData => {
  const { $schema: _schema, ...fields } = data;
  const flow = fields as FlowData;
  const shape = checkShape(flow);
  const faults = [...earlier, ...shape.faults];
  if (faults.length === 0) return { flow, faults };
  return shape.isWhole ? { readable: flow, faults } : { faults };
};

/** Checks data against the schema and the rules that no single field shows. */
const checkData = (data: unknown): CheckedData => {
  const parsed = flowSchema.safeParse(data);
  if (parsed.success) return checkRules(parsed.data);
  const issues = parsed.error.issues as readonly SchemaIssue[];
  const faults = issues.flatMap(explainIssue);
  const rest = flowSchema.safeParse(withoutFaults(data, issues));
  return rest.success ? checkRules(rest.data, faults) : { faults };
};

/** Walks plain data without recursion: deep nesting would take down whoever recurses. */
const excessOf = (data: unknown): string | undefined => {
  const stack: [value: unknown, depth: number][] = [[data, 0]];
  for (let seen = 0; stack.length > 0; seen += 1) {
    const [value, depth] = stack.pop() as [unknown, number];
    if (seen > MAX_NODES) return `holds more than ${MAX_NODES} values`;
    if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
    if (typeof value === 'function') return 'a flow is plain data and holds no functions';
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (isPrototypeKey(key)) return `the key ${key} is not allowed`;
      stack.push([inner, depth + 1]);
    }
  }
  return undefined;
};

const nowhere = (): undefined => undefined;

const problem = (message: string): ParsedFlow => ({
  faults: [{ path: [], message, severity: 'error' }],
  positionOf: nowhere,
});

/** Reads an object. It is copied, so that nobody changes the flow afterwards. */
export const readFlowObject = (data: unknown): ParsedFlow => {
  const excess = excessOf(data);
  if (excess !== undefined) return problem(excess);
  let copy: unknown;
  try {
    copy = structuredClone(data);
  } catch {
    return problem('a flow is plain data');
  }
  const { faults, ...flow } = checkData(copy);
  return { ...flow, faults: placeFaults(faults, { positionOf: nowhere }), positionOf: nowhere };
};

const positionsIn = (reading: YamlReading): ParsedFlow['positionOf'] => {
  const positionOf: ParsedFlow['positionOf'] = (path) => {
    const place = reading.placeOf(path);
    const position = place?.value ?? place?.key;
    return position ?? (path.length === 0 ? { line: 1, column: 1 } : positionOf(path.slice(0, -1)));
  };
  return positionOf;
};

/** Puts line and column to faults of a flow that was read from a text. */
export const placeFaults = (
  faults: readonly Fault[],
  { positionOf }: Pick<ParsedFlow, 'positionOf'>,
  file?: string,
): readonly FlowFault[] =>
  faults.slice(0, MAX_FLOW_FAULTS).map(({ path, message, severity }) => ({
    ...(file !== undefined && { file }),
    path,
    message,
    severity,
    ...positionOf(path),
  }));

/** Compares faults by where they are written. */
export const inOrder = (one: FlowFault, other: FlowFault): number =>
  (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);

/** Places faults of fields; one of a name is where the name is written. */
const placeFieldFaults = (
  faults: readonly FieldFault[],
  reading: YamlReading,
  file: string | undefined,
): readonly FlowFault[] =>
  faults
    .slice(0, MAX_FLOW_FAULTS)
    .flatMap((fault) => {
      const key = fault.isName === true ? reading.placeOf(fault.path)?.key : undefined;
      const positionOf = key ? () => key : positionsIn(reading);
      return placeFaults([fault], { positionOf }, file);
    })
    .toSorted(inOrder);

/**
 * Reads the YAML of a flow. Never rejects because of the text: every fault comes back with its line and
 * column.
 */
export const parseFlow = async (
  text: string,
  { file }: { readonly file?: string } = {},
): Promise<ParsedFlow> => {
  if (typeof text !== 'string') return problem('the text of a flow is needed');
  if (text.length > MAX_TEXT) return problem(`is longer than ${MAX_TEXT} characters`);
  if (text.trim() === '') {
    const fault = { path: [], message: 'is empty; a flow has name, version and steps' };
    const start = () => ({ line: 1, column: 1 });
    const faults = placeFaults([{ ...fault, severity: 'error' }], { positionOf: start }, file);
    return { faults, positionOf: nowhere };
  }
  const reading = readYaml(await import('yaml'), text, RULES);
  const positionOf = positionsIn(reading);
  if (reading.faults.length > 0) {
    const faults = reading.faults.map(({ line, column, path, message }) => ({
      ...(file !== undefined && { file }),
      line,
      column,
      path,
      message,
      severity: 'error' as const,
    }));
    return { faults, positionOf };
  }
  const { faults, ...flow } = checkData(reading.value);
  return { ...flow, faults: placeFieldFaults(faults, reading, file), positionOf };
};

/** Reads whichever it is. */
export const readFlow = async (source: unknown): Promise<ParsedFlow> =>
  typeof source === 'string' ? parseFlow(source) : readFlowObject(source);

const describeFault = ({ file, line, column, path, message }: FlowFault): string => {
  const place = line === undefined ? path.join('.') : `${line}:${column}`;
  const where = [file, place].filter((part) => part).join(':');
  return where === '' ? message : `${where}: ${message}`;
};

/** The error that carries all faults of a flow. */
export const badFlow = (faults: readonly FlowFault[]): ToolFailure => {
  const errors = faults.filter(({ severity }) => severity === 'error');
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const [first] = errors;
  const what = first ? describeFault(first) : 'it is not valid';
  return new ToolFailure('CONFIG_INVALID', sentence(`The flow cannot be used: ${what}${more}`), {
    issues: errors.map((fault) => ({ path: fault.path, message: describeFault(fault) })),
    suggestions: ['Correct the faults; toolcrib flow validate lists all of them.'],
  });
};

/** Checks a flow that is an object and copies it. Throws CONFIG_INVALID with all faults. */
export const checkFlowData = (data: FlowData): FlowData => {
  const { flow, faults } = readFlowObject(data);
  if (!flow) throw badFlow(faults);
  return flow;
};
