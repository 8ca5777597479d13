/**
 * Makes the result plain data, redacts secrets and labels it. A result that is too large to return, or
 * was cut for a model, is kept whole and can be read by a handle.
 */
import type { CallRequest } from '../../contract/call.ts';
import type {
  FailedResult,
  PendingResult,
  ResultHandle,
  SuccessResult,
  ToolResult,
} from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import { cutForModel, type ModelLimits, mediaChars } from '../../governance/cut-for-model.ts';
import { joinLabels } from '../../governance/labels/handle-labels.ts';
import { type PlainData, plainDataInSlices } from '../../governance/plain-data.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { failed } from '../outcome.ts';
import { redactError } from '../record/as-tool-error.ts';
import { KeptResults, type KeptResultsDeps } from '../record/kept-results.ts';

export interface GovernResultDeps extends KeptResultsDeps {
  readonly redactor: Redactor;
  readonly limits: ResultLimits;
}

export type ResultLimits = ModelLimits &
  KeptResultsDeps['limits'] & { readonly maxResultBytes: number };

interface Governor extends GovernResultDeps {
  readonly keptResults: KeptResults;
}

const PREVIEW_CHARS = 2000;

const warn = (call: CallRequest, message: string): void => {
  call.notes.warnings ??= [];
  call.notes.warnings.push(message);
};

const textOf = (data: unknown): string => (typeof data === 'string' ? data : JSON.stringify(data));

const handOver = async (
  call: CallRequest,
  result: SuccessResult,
  { data, deps }: { readonly data: unknown; readonly deps: Governor },
): Promise<ToolResult> => {
  const text = textOf(data);
  const { handle, bytes } = await deps.keptResults.keep(call, text, result.metadata.labels);
  warn(call, `The result is too large to return at once; read it by its handle ${handle}.`);
  const replacement: ResultHandle = { handle, bytes, preview: text.slice(0, PREVIEW_CHARS) };
  return { ...result, data: replacement };
};

/** Cuts data to what a prompt should hold; keeps the whole where something was cut. */
const shorten = async (
  call: CallRequest,
  result: SuccessResult,
  { data, deps }: { readonly data: unknown; readonly deps: Governor },
): Promise<ToolResult> => {
  let cuts = 0;
  const short = cutForModel(data, deps.limits, (what) => {
    cuts += 1;
    warn(call, `Shortened: ${what}.`);
  });
  if (cuts === 0) return data === result.data ? result : { ...result, data };
  const whole = await deps.keptResults.keep(call, textOf(data), result.metadata.labels);
  warn(call, `The whole result is kept; read it by its handle ${whole.handle}.`);
  return { ...result, data: short, whole };
};

/** Returns nothing for data that is circular or throws when it is read. */
const plain = (
  data: unknown,
  redactor: Redactor,
): PlainData | undefined | Promise<PlainData | undefined> => {
  try {
    const clean = plainDataInSlices(data, redactor);
    return clean instanceof Promise ? clean.catch(() => undefined) : clean;
  } catch {
    return undefined;
  }
};

const conclude = (
  call: CallRequest,
  result: SuccessResult,
  { clean, deps }: { readonly clean: PlainData | undefined; readonly deps: Governor },
): ToolResult | Promise<ToolResult> => {
  if (!clean) {
    return failed(call, 'OUTPUT_INVALID', {
      message: 'The result is circular, too deep, or cannot be read.',
    });
  }
  const { data, bytes } = clean;
  const { maxResultBytes } = deps.limits;
  const isTooLarge = bytes > maxResultBytes && bytes - mediaChars(data) > maxResultBytes;
  if (isTooLarge) return handOver(call, result, { data, deps });
  if (call.options.audience === 'model') return shorten(call, result, { data, deps });
  return data === result.data ? result : { ...result, data };
};

const govern = (
  call: CallRequest,
  result: SuccessResult,
  deps: Governor,
): ToolResult | Promise<ToolResult> => {
  const clean = plain(result.data, deps.redactor);
  return clean instanceof Promise
    ? concludeLater(call, result, { clean, deps })
    : conclude(call, result, { clean, deps });
};

const concludeLater = async (
  call: CallRequest,
  result: SuccessResult,
  { clean, deps }: { readonly clean: Promise<PlainData | undefined>; readonly deps: Governor },
): Promise<ToolResult> => conclude(call, result, { clean: await clean, deps });

/**
 * Redacts what the parts of a failed call returned, as plain data. What cannot be read is left out; what is
 * too large is stored and replaced by its handle.
 */
const governPartial = async (
  call: CallRequest,
  result: FailedResult | PendingResult,
  deps: Governor,
): Promise<ToolResult> => {
  const { partial, ...error } = result.error;
  const clean = await plain(partial, deps.redactor);
  if (!clean) return { ...result, error };
  const { data, bytes } = clean;
  if (bytes <= deps.limits.maxResultBytes) {
    const shown = call.options.audience === 'model' ? cutPartial(call, data, deps) : data;
    return { ...result, error: { ...error, partial: shown } };
  }
  const text = textOf(data);
  const stored = await deps.keptResults.keep(call, text, result.metadata.labels);
  const handle: ResultHandle = { ...stored, preview: text.slice(0, PREVIEW_CHARS) };
  return { ...result, error: { ...error, partial: handle } };
};

const cutPartial = (call: CallRequest, data: unknown, { limits }: Governor): unknown =>
  cutForModel(data, limits, (what) => warn(call, `Shortened: ${what}.`));

/** Joins the labels of inner calls: a tool that calls others returns what they read. */
const label = ({ parent, notes }: CallRequest, { metadata }: ToolResult): void => {
  const { innerLabels } = notes;
  if (innerLabels) metadata.labels = joinLabels(metadata.labels, innerLabels);
  if (!parent) return;
  const before = parent.notes.innerLabels;
  parent.notes.innerLabels = before ? joinLabels(before, metadata.labels) : metadata.labels;
};

export const governResult = (deps: GovernResultDeps): Stage<'ready' | 'budget'> => {
  const governor: Governor = { ...deps, keptResults: new KeptResults(deps) };
  const settle = (call: CallRequest, result: ToolResult): ToolResult | Promise<ToolResult> => {
    label(call, result);
    if (result.success && result.data !== undefined) return govern(call, result, governor);
    // Redacted here, not only in `record`: `replay` stores the result as it leaves this stage.
    if (!result.error) return result;
    const clean = { ...result, error: redactError(result.error, deps.redactor) };
    return clean.error.partial === undefined ? clean : governPartial(call, clean, governor);
  };
  return function governResult(call, next) {
    return next(call).then((result) => settle(call, result));
  };
};
