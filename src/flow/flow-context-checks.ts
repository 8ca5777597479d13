/**
 * Checks what the code of a flow hands to the methods of its context. A misspelt option is refused before
 * anything happens: a `timeout: 60_000` that nobody reads would wait without end, and a `dryRun` would
 * make the call.
 */
import { ToolFailure } from '../contract/errors.ts';
import type { FlowCallOptions, FlowChildOptions, FlowContext } from '../contract/flow.ts';
import {
  type ArgumentCheck,
  type ArgumentChecks,
  anything,
  assertArguments,
  callback,
  fields,
  optional,
  signal,
  someFields,
  text,
} from '../kit/data/check-arguments.ts';

type FieldChecks<T> = { readonly [Name in keyof T]-?: ArgumentCheck };
type Method = 'all' | 'call' | 'child' | 'sleep' | 'value' | 'waitForApproval' | 'waitForEvent';
type EventOptions = NonNullable<Parameters<FlowContext['waitForEvent']>[1]>;

const time: ArgumentCheck = (value) =>
  Number.isFinite(value) && (value as number) >= 0
    ? undefined
    : 'has to be milliseconds; leave it out to wait without a limit';

const dollars: ArgumentCheck = (value) =>
  Number.isFinite(value) && (value as number) >= 0 ? undefined : 'has to be a number of dollars';

const tasks: ArgumentCheck = (value) =>
  Array.isArray(value) && value.every((task) => typeof task === 'function')
    ? undefined
    : 'has to be a list of functions, as in [() => flow.call(tool, input)]';

const toolOrName: ArgumentCheck = (value) =>
  typeof (typeof value === 'string' ? value : Reflect.get(Object(value), 'name')) === 'string'
    ? undefined
    : 'has to be a tool or its name';

const flowDefinition: ArgumentCheck = (value) =>
  someFields({ name: text, version: text, run: callback })(value) === undefined
    ? undefined
    : 'has to be a flow as defineFlow makes it';

// The key is checked with the step itself, where its place in the run is known.
const STEP_OPTIONS = { key: anything, signal: optional(signal) };
const stepOptions = optional(fields(STEP_OPTIONS));
const eventOptions = optional(
  fields({ ...STEP_OPTIONS, timeoutMs: optional(time) } satisfies FieldChecks<EventOptions>),
);
const CHILD_OPTIONS = {
  ...STEP_OPTIONS,
  flowUsd: optional(dollars),
} satisfies FieldChecks<FlowChildOptions>;
const callOptions = optional(
  fields({
    ...CHILD_OPTIONS,
    version: optional(text),
    timeoutMs: optional(time),
    attemptOf: anything,
    earlier: anything,
    place: anything,
    within: optional(callback),
  } satisfies FieldChecks<FlowCallOptions>),
);

const CHECKS: Readonly<Record<Method, ArgumentChecks>> = {
  all: { 'all(tasks)': tasks, 'all(options)': optional(fields({ maxConcurrency: anything })) },
  call: { 'call(tool)': toolOrName, 'call(input)': anything, 'call(options)': callOptions },
  child: {
    'child(flow)': flowDefinition,
    'child(input)': anything,
    'child(options)': optional(fields(CHILD_OPTIONS)),
  },
  sleep: { 'sleep(ms)': anything, 'sleep(options)': stepOptions },
  value: { 'value(name)': text, 'value(make)': callback, 'value(options)': stepOptions },
  waitForApproval: {
    'waitForApproval(question)': text,
    'waitForApproval(details)': anything,
    'waitForApproval(options)': stepOptions,
  },
  waitForEvent: { 'waitForEvent(name)': text, 'waitForEvent(options)': eventOptions },
};

/** Says what is wrong with the arguments of a method, or nothing. */
export const contextFault = (
  method: Method,
  values: readonly unknown[],
): ToolFailure | undefined => {
  try {
    assertArguments(CHECKS[method], values, { suggestions: ['Correct the code of the flow.'] });
    return undefined;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
};
