/** A parameter of an operation, read from the document and checked. */
import { isRecord } from '../../../kit/data/is-record.ts';
import type { Fields } from '../operations/definition.ts';
import type { Located } from '../operations/resolver.ts';

export const PLACES = ['path', 'query', 'header', 'cookie'] as const;
export type ParameterPlace = (typeof PLACES)[number];

export interface Parameter {
  readonly name: string;
  readonly place: ParameterPlace;
  readonly isRequired: boolean;
  readonly description: unknown;
  readonly style: string;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Written as this media type instead of a style, where set. */
  readonly contentType: string | undefined;
  readonly schema: Located;
}

const DEFAULT_STYLES: Readonly<Record<ParameterPlace, string>> = {
  path: 'simple',
  header: 'simple',
  query: 'form',
  cookie: 'form',
};

/**
 * Headers that the client sets, or that would change where a request goes, how it is framed, and what
 * many servers take for its method: the tier goes by the method of the document.
 */
const OWN_HEADER =
  /^(?:accept|accept-encoding|authorization|x-(?:http-)?method(?:-override)?|x-(?:original|rewrite)-ur[il]|content-.*|cookie|host|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive|proxy-.*|sec-.*|forwarded|x-forwarded-.*|origin|referer)$/i;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const NAME = /^[^\p{C}]{1,500}$/u;

const IDEMPOTENCY_KEY = /^(?:x-)?idempotency-key$/i;

/** Tells whether it is the header by which the API tells repeated requests; calls fill it themselves. */
export const isIdempotencyKey = ({ place, name }: Pick<Parameter, 'place' | 'name'>): boolean =>
  place === 'header' && IDEMPOTENCY_KEY.test(name);

const isPlace = (place: unknown): place is ParameterPlace => PLACES.some((one) => one === place);

const isUsable = (place: ParameterPlace, name: string): boolean => {
  if (place === 'header') return HEADER_NAME.test(name) && !OWN_HEADER.test(name);
  if (place === 'cookie') return HEADER_NAME.test(name);
  return NAME.test(name);
};

const contentOf = (content: unknown): readonly [string, unknown] | undefined => {
  const [first] = isRecord(content) ? Object.entries(content) : [];
  return first && [first[0], isRecord(first[1]) ? first[1].schema : undefined];
};

/** Gives `undefined` for what is no parameter that a caller may set. */
export const parameterOf = ({
  value,
  address,
}: Located & { readonly value: Fields }): Parameter | undefined => {
  const { name, in: place, style, explode, content, schema } = value;
  if (typeof name !== 'string' || !isPlace(place) || !isUsable(place, name)) return undefined;
  const media = schema === undefined ? contentOf(content) : undefined;
  const chosen = typeof style === 'string' ? style : DEFAULT_STYLES[place];
  return {
    name,
    place,
    description: value.description,
    style: chosen,
    isRequired: place === 'path' || (value.required === true && !isIdempotencyKey({ place, name })),
    explode: typeof explode === 'boolean' ? explode : chosen === 'form' || chosen === 'deepObject',
    allowReserved: value.allowReserved === true,
    contentType: media?.[0],
    schema: { value: media ? media[1] : schema, address, pointer: '' },
  };
};
