/** Finds the next page of a list: by the `Link` header of an answer, by its body, and by the names of parameters. */
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

type PagedPlan = Pick<RequestPlan, 'input' | 'parameters'>;

/** Returns the fields that an address of the next page changes. One of another host is not followed. */
const fieldsOfAddress = (
  target: string,
  url: string,
  { input, parameters }: PagedPlan,
): Readonly<Record<string, unknown>> | undefined => {
  if (!URL.canParse(target, url)) return undefined;
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

/** Returns the fields of the input that lead to the next page, by the `Link` header (RFC 8288). */
const linkedPage = (
  headers: Headers,
  url: string,
  plan: PagedPlan,
): Readonly<Record<string, unknown>> | undefined => {
  const link = headers.get('link')?.slice(0, MAX_HEADER);
  const target = link === undefined ? undefined : NEXT.exec(link)?.[1];
  return target === undefined ? undefined : fieldsOfAddress(target, url, plan);
};

/** Members of an answer that hold what belongs to paging. */
const HOLDERS = ['meta', 'metadata', 'pagination', 'paging', 'page_info', 'pageInfo'] as const;
const MAX_CURSOR = 2_000;

const plainName = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();

const isCursor = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '' && value.length <= MAX_CURSOR) ||
  Number.isSafeInteger(value);

/** Finds a value for the next page: `next_cursor` for a parameter `cursor`, or a new `cursor` itself. */
const cursorFor = (name: string, body: Readonly<Record<string, unknown>>) => {
  const plain = plainName(name);
  const keys = Object.keys(body);
  const key =
    keys.find((one) => plainName(one) === `next${plain}`) ??
    keys.find((one) => plainName(one) === plain && /cursor|token|marker/.test(plain));
  const value = key === undefined ? undefined : body[key];
  return isCursor(value) ? String(value) : undefined;
};

/** Makes what finds the next page in a body; `undefined` where no parameter pages. */
export const bodyPager = (plan: PagedPlan) => {
  const paging = plan.parameters.filter(
    ({ parameter: { place, name } }) => place === 'query' && isStep(name),
  );
  if (paging.length === 0) return undefined;
  const inPart = (part: unknown, url: string) => {
    if (!isRecord(part)) return undefined;
    if (part.has_more === false || part.hasMore === false) return undefined;
    if (typeof part.next === 'string' && /^(?:https?:\/)?\//.test(part.next)) {
      return fieldsOfAddress(part.next, url, plan);
    }
    const sent = new URL(url).searchParams;
    for (const { field, parameter } of paging) {
      const value = cursorFor(parameter.name, part);
      if (value === undefined || value === sent.get(parameter.name)) continue;
      return { [field]: typedValue(value, typesOf(plan.input, field)) };
    }
    return undefined;
  };
  return (body: unknown, url: string): Readonly<Record<string, unknown>> | undefined => {
    if (!isRecord(body)) return undefined;
    const parts = [body, ...HOLDERS.map((holder) => body[holder])];
    for (const part of parts) {
      const next = inPart(part, url);
      if (next) return next;
    }
    return undefined;
  };
};

/** Makes what finds the next page in an answer: by its header, then by its body where that is JSON. */
export const nextPageFinder = (plan: PagedPlan) => {
  const inBody = bodyPager(plan);
  return (
    headers: Headers,
    url: string,
    body: unknown,
  ): Readonly<Record<string, unknown>> | undefined =>
    (headers.has('link') ? linkedPage(headers, url, plan) : undefined) ?? inBody?.(body, url);
};

const PAGING =
  /^(?:page|page[_-]?(?:number|no|num|token|size|index)|per[_-]?page|limit|offset|cursor|after|before|starting[_-]?after|ending[_-]?before|next[_-]?(?:token|cursor|page)|continuation[_-]?token|marker|max[_-]?(?:results|items)|size|skip|top|count)$/i;
const SIZES = /^\$?(?:per[_-]?page|limit|.*size|max.*|count|top)$/i;
const MAX_NAMED = 4;

const isPaging = (name: string): boolean => PAGING.test(name.replace(/^\$/, ''));

/** Tells whether a parameter leads from page to page. */
const isStep = (name: string): boolean => isPaging(name) && !SIZES.test(name);

/** Tells a model which fields page through a list; '' where there are none. */
export const pagingHint = (names: readonly string[]): string => {
  const paging = names.filter(isPaging);
  if (!paging.some(isStep)) return '';
  return `Returns pages: ${paging.slice(0, MAX_NAMED).join(', ')}.`;
};
