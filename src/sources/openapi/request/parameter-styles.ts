/**
 * Writes parameters in the styles of OpenAPI. Each function is made once for an operation; a call only
 * runs it.
 */
import { ToolFailure } from '../../../contract/errors.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { contentText, encode, encodeReserved, plainText } from './encode.ts';
import type { Parameter } from './parameter.ts';

export type Writer = (value: unknown) => string;

type Encoder = (text: string) => string;

const badValue = (name: string, message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `The parameter ${name} ${message}.`, {
    issues: [{ path: [name], message }],
  });

const pairsOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, member]) => member !== undefined);

/** Writes `k,v,k,v`, or `k=v` for each when exploded. */
const objectParts = (value: object, explode: boolean, encoder: Encoder): readonly string[] =>
  pairsOf(value).flatMap(([key, member]) =>
    explode
      ? [`${encoder(key)}=${encoder(plainText(member))}`]
      : [encoder(key), encoder(plainText(member))],
  );

const partsOf = (value: unknown, explode: boolean, encoder: Encoder): readonly string[] => {
  if (Array.isArray(value)) return value.map((item) => encoder(plainText(item)));
  return isRecord(value) ? objectParts(value, explode, encoder) : [encoder(plainText(value))];
};

const DELIMITERS: Readonly<Record<string, string>> = {
  spaceDelimited: ' ',
  pipeDelimited: '|',
  tabDelimited: '\t',
};

/** Gives what stands between the parts of a list. Outside queries only Swagger 2 has others than a comma. */
export const delimiterOf = (style: string): string =>
  (Object.hasOwn(DELIMITERS, style) ? DELIMITERS[style] : undefined) ?? ',';

/** Encodes a delimiter; the comma stands for itself. */
const encodedDelimiter = (style: string): string => {
  const delimiter = delimiterOf(style);
  return delimiter === ',' ? delimiter : encode(delimiter);
};

const matrix = ({ name, explode }: Parameter, value: unknown): string => {
  const key = encode(name);
  if (!explode || !(Array.isArray(value) || isRecord(value))) {
    const text = partsOf(value, false, encode).join(',');
    return text === '' ? `;${key}` : `;${key}=${text}`;
  }
  const parts = partsOf(value, true, encode);
  return parts.map((part) => (Array.isArray(value) ? `;${key}=${part}` : `;${part}`)).join('');
};

const pathText = (parameter: Parameter, value: unknown): string => {
  const { style, explode, contentType } = parameter;
  if (contentType !== undefined) return encode(contentText(contentType, value));
  if (style === 'matrix') return matrix(parameter, value);
  if (style === 'label') return `.${partsOf(value, explode, encode).join(explode ? '.' : ',')}`;
  return partsOf(value, explode, encode).join(encodedDelimiter(style));
};

/**
 * Tells whether a value leads to another path: by itself, or behind a proxy that decodes `%2F` and `%5C`
 * before it routes.
 */
const hasDotSegment = (text: string): boolean =>
  text.split(/[/\\]|%2F|%5C/i).some((segment) => segment === '.' || segment === '..');

/** Writes a segment of the path. Refuses one that would lead to another path. */
export const pathWriter =
  (parameter: Parameter): Writer =>
  (value) => {
    const text = pathText(parameter, value);
    if (text === '') throw badValue(parameter.name, 'is empty, which would change the path');
    if (hasDotSegment(text)) throw badValue(parameter.name, 'would change the path');
    return text;
  };

const deepParts = (name: string, value: unknown, encoder: Encoder): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [`${name}=${encoder(plainText(value))}`];
  return pairsOf(value).flatMap(([key, member]) =>
    deepParts(`${name}%5B${encode(key)}%5D`, member, encoder),
  );
};

/** Writes the part of a query, e.g. `a=1&a=2`; empty for an empty list or object. */
export const queryWriter = (
  parameter: Pick<Parameter, 'name' | 'style' | 'explode' | 'allowReserved' | 'contentType'>,
): Writer => {
  const { style, explode, allowReserved, contentType } = parameter;
  const name = encode(parameter.name);
  const encoder = allowReserved ? encodeReserved : encode;
  if (contentType !== undefined) {
    return (value) => `${name}=${encode(contentText(contentType, value))}`;
  }
  if (style === 'deepObject') return (value) => deepParts(name, value, encoder).join('&');
  const delimiter = encodedDelimiter(style);
  return (value) => {
    const isList = Array.isArray(value);
    if (!isList && !isRecord(value)) return `${name}=${encoder(plainText(value))}`;
    const parts = partsOf(value, explode, encoder);
    if (parts.length === 0) return '';
    if (!explode) return `${name}=${parts.join(delimiter)}`;
    return isList ? parts.map((part) => `${name}=${part}`).join('&') : parts.join('&');
  };
};

/** Visible ASCII, spaces and tabs inside. */
const HEADER_VALUE = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/;

export const headerWriter = ({ name, style, explode, contentType }: Parameter): Writer => {
  const same = (text: string): string => text;
  return (value) => {
    const text =
      contentType === undefined
        ? partsOf(value, explode, same).join(delimiterOf(style))
        : contentText(contentType, value);
    if (!HEADER_VALUE.test(text)) throw badValue(name, 'cannot be sent as a header');
    return text;
  };
};

export const cookieWriter = ({ name, contentType }: Parameter): Writer => {
  return (value) => {
    const text =
      contentType === undefined
        ? partsOf(value, false, encode).join(',')
        : encode(contentText(contentType, value));
    return `${name}=${text}`;
  };
};
