/** Finds the next page of a list: by the `Link` header of an answer, and by the names of parameters. */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { RequestPlan } from '../request/plan-request.ts';

const NEXT = /<([^<>]{1,4000})>\s*;[^,<]*\brel\s*=\s*"?(?:[^",<]*\s)?next\b/i;
const MAX_HEADER = 8_000;

const typesOf = (input: JsonSchema, field: string): readonly unknown[] => {
  const { properties } = input;
  const schema = isRecord(properties) ? properties[field] : undefined;
  return isRecord(schema) ? [schema.type].flat() : [];
};

/** Converts a value of a query to the type of the input: a page that is a number, for example. */
const typedValue = (text: string, types: readonly unknown[]): unknown => {
  if (types.includes('string')) return text;
  const isNumber = types.includes('integer') || types.includes('number');
  if (isNumber && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
};

/**
 * Returns the fields of the input that lead to the next page, by the `Link` header (RFC 8288). An address
 * of another host or path is not followed.
 */
export const nextPage = (
  headers: Headers,
  url: string,
  { input, parameters }: Pick<RequestPlan, 'input' | 'parameters'>,
): Readonly<Record<string, unknown>> | undefined => {
  const link = headers.get('link')?.slice(0, MAX_HEADER);
  const target = link === undefined ? undefined : NEXT.exec(link)?.[1];
  if (target === undefined || !URL.canParse(target, url)) return undefined;
  const next = new URL(target, url);
  const here = new URL(url);
  if (next.host !== here.host) return undefined;
  const fields = parameters.flatMap(({ field, parameter }) => {
    const value = parameter.place === 'query' ? next.searchParams.get(parameter.name) : null;
    return value === null || value === here.searchParams.get(parameter.name)
      ? []
      : [[field, typedValue(value, typesOf(input, field))] as const];
  });
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
};

const PAGING =
  /^(?:page|page[_-]?(?:number|no|num|token|size|index)|per[_-]?page|limit|offset|cursor|after|before|starting[_-]?after|ending[_-]?before|next[_-]?(?:token|cursor|page)|continuation[_-]?token|marker|max[_-]?(?:results|items)|size|skip|top|count)$/i;
const MAX_NAMED = 4;

/** Tells a model which fields page through a list; '' where there are none. */
export const pagingHint = (names: readonly string[]): string => {
  const paging = names.filter((name) => PAGING.test(name.replace(/^\$/, '')));
  const steps = paging.filter(
    (name) => !/^\$?(?:per[_-]?page|limit|.*size|max.*|count|top)$/i.test(name),
  );
  if (steps.length === 0) return '';
  return `Returns pages: ${paging.slice(0, MAX_NAMED).join(', ')}.`;
};
