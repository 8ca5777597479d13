/** Checks a request to `crib.process` that did not come through a schema. */
import { PROCESS_OPERATIONS } from '../contract/process-request.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { unknownNameText } from '../kit/text/did-you-mean.ts';

const OPERATIONS: ReadonlySet<unknown> = new Set(PROCESS_OPERATIONS);

/** By operation: the other fields that a request may have. */
const REQUEST_NAMES: Readonly<Record<string, readonly string[]>> = {
  execute_single: ['tool', 'input', 'id', 'options'],
  execute_chain: ['calls', 'continueOnError'],
  orchestrate: ['calls', 'maxConcurrency'],
  validate: ['calls'],
  validate_chain: ['calls'],
  optimize_chain: ['calls'],
  discover: ['query'],
};
const CALL_NAMES = ['tool', 'input', 'inputFrom', 'id', 'options', 'dependsOn'];
const OPTION_NAMES = ['idempotencyKey', 'approvalId', 'version', 'timeoutMs', 'dryRun'];

/** Says which field of an object is not among those it may have. */
const unknownName = (
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string | undefined => {
  const name = Object.keys(value).find((each) => !names.includes(each));
  return name === undefined ? undefined : `${name} ${unknownNameText(name, names)}`;
};

const isCall = (value: unknown, needsId: boolean): value is Readonly<Record<string, unknown>> =>
  isRecord(value) &&
  typeof value.tool === 'string' &&
  (value.options === undefined || isRecord(value.options)) &&
  (typeof value.id === 'string' || (value.id === undefined && !needsId)) &&
  (value.dependsOn === undefined || Array.isArray(value.dependsOn));

/** Finds a misspelt field, which would be ignored: calls that belong together would run apart. */
const unknownInCalls = (calls: readonly unknown[]): string | undefined => {
  for (const call of calls as readonly Readonly<Record<string, unknown>>[]) {
    const { options } = call;
    const fault = isRecord(options) ? unknownName(options, OPTION_NAMES) : undefined;
    const unknown = fault ?? unknownName(call, CALL_NAMES);
    if (unknown !== undefined) return unknown;
  }
  return undefined;
};

/** Finds a field that makes a call depend on others. */
const orderIn = (calls: readonly unknown[]): string | undefined =>
  ['inputFrom', 'dependsOn'].find((name) =>
    calls.some((call) => isRecord(call) && call[name] !== undefined),
  );

/** Says what is wrong with a request of a known operation. */
const operationFault = (request: Readonly<Record<string, unknown>>): string | undefined => {
  const { operation, calls, maxConcurrency, continueOnError, query, ...single } = request;
  if (operation === 'discover') {
    return query === undefined || typeof query === 'string' ? undefined : 'query has to be a text.';
  }
  if (operation === 'execute_single') {
    return isCall(single, false) ? unknownInCalls([single]) : 'A call needs the name of a tool.';
  }
  if (!Array.isArray(calls)) return 'The request needs a list of calls.';
  const order = operation === 'validate' ? orderIn(calls) : undefined;
  if (order !== undefined) {
    return `validate checks each call by itself, and one has ${order}: use validate_chain.`;
  }
  const isPlan = operation === 'orchestrate';
  if (!calls.every((call) => isCall(call, isPlan))) {
    return isPlan ? 'Each call needs an id and the name of a tool.' : 'Each call needs a tool.';
  }
  const unknown = unknownInCalls(calls);
  if (unknown !== undefined) return unknown;
  if (continueOnError !== undefined && typeof continueOnError !== 'boolean') {
    return 'continueOnError has to be true or false.';
  }
  const isCount = Number.isSafeInteger(maxConcurrency) && Number(maxConcurrency) > 0;
  if (maxConcurrency === undefined || isCount) return undefined;
  return 'maxConcurrency must be a whole number above zero.';
};

/** Says what is wrong with a request that did not come through a schema. */
export const processRequestFault = (request: unknown): string | undefined => {
  if (!isRecord(request)) return 'A request is an object with an operation.';
  const { operation, ...rest } = request;
  if (!OPERATIONS.has(operation)) return 'There is no such operation.';
  const unknown = unknownName(rest, REQUEST_NAMES[String(operation)] ?? []);
  return unknown ?? operationFault(request);
};
