/**
 * Reads the details of an error, `google.rpc.Status` in the trailers. They come from outside:
 * bounded, and never a failure of their own.
 */
import type { Metadata } from '@grpc/grpc-js';
import type { Issue } from '../../../contract/errors.ts';
import { DAY_MS } from '../../../kit/data/durations.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { decodeMessage, newDecoding } from '../codec/decode-message.ts';
import { createTypeTable } from '../codec/type-table.ts';
import { PROTOCOL_TYPES } from '../definition/protocol-types.ts';

export interface ErrorDetails {
  readonly issues: readonly Issue[];
  readonly notes: readonly string[];
  readonly retryAfterMs: number | undefined;
}

const NONE: ErrorDetails = { issues: [], notes: [], retryAfterMs: undefined };

const MAX_DETAILS_BYTES = 64_000;
const MAX_ITEMS = 20;
const MAX_TEXT = 500;

type Fields = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => visibleText(String(value ?? '').slice(0, MAX_TEXT));

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isRecord).slice(0, MAX_ITEMS) : [];

/** Parses a path: `a.b[2].c` names the field c of the third b. */
const pathOf = (field: unknown): readonly (string | number)[] =>
  textOf(field)
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .map((part) => (/^\d{1,6}$/.test(part) ? Number(part) : part));

const waitOf = (text: unknown): number | undefined => {
  const seconds = typeof text === 'string' ? Number.parseFloat(text) : Number.NaN;
  return seconds >= 0 ? Math.min(Math.round(seconds * 1000), DAY_MS) : undefined;
};

const noteOf = (detail: Fields): readonly string[] => {
  const { reason, domain, message, description, violations, resourceName } = detail;
  if (violations !== undefined) {
    return listOf(violations).map(
      ({ subject, description: why }) => `${textOf(subject)}: ${textOf(why)}`,
    );
  }
  if (reason !== undefined) return [`Reason: ${textOf(reason)} (${textOf(domain)}).`];
  if (resourceName !== undefined) return [`${textOf(resourceName)}: ${textOf(description)}`];
  return message === undefined ? [] : [textOf(message)];
};

const collect = (details: readonly Fields[]): ErrorDetails => ({
  issues: details
    .flatMap(({ fieldViolations }) => listOf(fieldViolations))
    .map(({ field, description }) => ({ path: pathOf(field), message: textOf(description) })),
  notes: details.flatMap(noteOf).slice(0, MAX_ITEMS),
  retryAfterMs: details.map(({ retryDelay }) => waitOf(retryDelay)).find((ms) => ms !== undefined),
});

/** Gives nothing for details that are missing or cannot be read. */
export const readErrorDetails = (
  trailers: Metadata | undefined,
  redact: (text: string) => string,
): ErrorDetails => {
  try {
    const [bytes] = trailers?.get('grpc-status-details-bin') ?? [];
    if (!Buffer.isBuffer(bytes) || bytes.length > MAX_DETAILS_BYTES) return NONE;
    const decoding = newDecoding(createTypeTable(PROTOCOL_TYPES), MAX_DETAILS_BYTES * 4);
    const status = decodeMessage('google.rpc.Status', bytes, decoding) as Fields;
    const { issues, notes, retryAfterMs } = collect(listOf(status.details));
    return {
      issues: issues.map(({ path, message }) => ({ path, message: redact(message) })),
      notes: notes.map(redact),
      retryAfterMs,
    };
  } catch {
    return NONE;
  }
};
