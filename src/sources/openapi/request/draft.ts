/** A request while it is composed. */
import type { Runtime } from '../../../contract/runtime.ts';
import type { Operation } from '../operations/list-operations.ts';
import type { BodyWriter, WrittenBody } from './body.ts';
import { bodyWriter } from './body-writers.ts';
import { encode } from './encode.ts';
import type { Parameter } from './parameter.ts';
import {
  cookieWriter,
  headerWriter,
  pathWriter,
  queryWriter,
  type Writer,
} from './parameter-styles.ts';
import type { RequestPlan } from './plan-request.ts';

export interface Draft {
  readonly path: string;
  /** Encoded parts, e.g. `a=1`. */
  readonly query: string[];
  readonly headers: Record<string, string>;
  readonly cookies: string[];
  readonly body: WrittenBody | undefined;
}

export type DraftWriter = (input: Readonly<Record<string, unknown>>) => Draft;

interface WrittenField {
  readonly field: string;
  readonly name: string;
  readonly write: Writer;
}

const writerOf = (parameter: Parameter): Writer => {
  switch (parameter.place) {
    case 'path':
      return pathWriter(parameter);
    case 'query':
      return queryWriter(parameter);
    case 'header':
      return headerWriter(parameter);
    default:
      return cookieWriter(parameter);
  }
};

const fieldsAt = (plan: RequestPlan, place: Parameter['place']): readonly WrittenField[] =>
  plan.parameters
    .filter(({ parameter }) => parameter.place === place)
    .map(({ field, parameter }) => ({ field, name: parameter.name, write: writerOf(parameter) }));

type PathPiece = string | WrittenField;

const UNSAFE = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu;

/** Encodes a literal part of a path. A fragment only tells operations of one path apart. */
const literal = (text: string): string => text.replace(UNSAFE, (character) => encode(character));

const piecesOf = (path: string, fields: readonly WrittenField[]): readonly PathPiece[] =>
  path.split(/(\{[^{}]*\})/).map((piece) => {
    const field = piece.startsWith('{')
      ? fields.find(({ name }) => `{${name}}` === piece)
      : undefined;
    return field ?? literal(piece);
  });

/**
 * Splits off a query: some documents put parameters, fixed ones or templates, behind a question mark in
 * the path.
 */
const split = (path: string): readonly [path: string, query: readonly string[]] => {
  const [plain = ''] = path.split('#', 1);
  const at = plain.indexOf('?');
  if (at < 0) return [plain, []];
  const parts = plain.slice(at + 1).split('&');
  return [plain.slice(0, at), parts.filter((part) => part !== '')];
};

/** Tells whether a part has no unfilled template: a query parameter of that name replaces such a part. */
const isFilled = (pieces: readonly PathPiece[]): boolean =>
  pieces.every((piece) => typeof piece !== 'string' || !piece.startsWith('%7B'));

const joined = (pieces: readonly PathPiece[], input: Readonly<Record<string, unknown>>): string =>
  pieces.map((one) => (typeof one === 'string' ? one : one.write(input[one.field]))).join('');

const bodyFrom = (
  { body }: RequestPlan,
  write: BodyWriter | undefined,
  input: Readonly<Record<string, unknown>>,
): WrittenBody | undefined => {
  if (!body || !write) return undefined;
  const [first] = body.fields;
  if (!body.isMerged) {
    const value = first && input[first.field];
    return value === undefined ? undefined : write(value);
  }
  const entries = body.fields.flatMap(({ field, name }) =>
    input[field] === undefined || name === undefined ? [] : [[name, input[field]] as const],
  );
  if (entries.length === 0 && !body.body.isRequired) return undefined;
  return write(Object.fromEntries(entries));
};

/** Prepares everything that does not depend on the input. */
export const draftWriter = (
  plan: RequestPlan,
  { path }: Operation,
  runtime: Runtime,
): DraftWriter => {
  const [plainPath, queryParts] = split(path);
  const pathFields = fieldsAt(plan, 'path');
  const pieces = piecesOf(plainPath, pathFields);
  const fixedQuery = queryParts.map((part) => piecesOf(part, pathFields)).filter(isFilled);
  const queries = fieldsAt(plan, 'query');
  const headerFields = fieldsAt(plan, 'header');
  const cookieFields = fieldsAt(plan, 'cookie');
  const write = plan.body && bodyWriter(plan.body.body, { runtime, files: plan.body.files });
  const written = (fields: readonly WrittenField[], input: Readonly<Record<string, unknown>>) =>
    fields.flatMap((one) =>
      input[one.field] === undefined
        ? []
        : [one.write(input[one.field])].filter((text) => text !== ''),
    );
  return (input) => {
    const headers: Record<string, string> = {};
    for (const { field, name, write: writeHeader } of headerFields) {
      if (input[field] !== undefined) headers[name.toLowerCase()] = writeHeader(input[field]);
    }
    return {
      path: joined(pieces, input),
      query: [...fixedQuery.map((one) => joined(one, input)), ...written(queries, input)],
      headers,
      cookies: written(cookieFields, input),
      body: bodyFrom(plan, write, input),
    };
  };
};
