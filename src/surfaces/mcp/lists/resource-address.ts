/**
 * Addresses of resources of servers behind the crib: `toolcrib://servers/<server>/<uri>`, both
 * encoded. A template of a server keeps its variables as a query, so that each value can be encoded
 * as the template demands.
 */
import type { Sdk } from '../load-sdk.ts';

const START = 'toolcrib://servers/';

export const addressOf = (server: string, uri: string): string =>
  `${START}${encodeURIComponent(server)}/${encodeURIComponent(uri)}`;

/** Makes the address of a template; nothing for one that cannot be parsed. */
export const templateAddressOf = (
  { UriTemplate }: Sdk,
  server: string,
  template: string,
): string | undefined => {
  try {
    const { variableNames } = new UriTemplate(template);
    const query = variableNames.length === 0 ? '' : `{?${[...new Set(variableNames)].join(',')}}`;
    return addressOf(server, template) + query;
  } catch {
    return undefined;
  }
};

export const isTemplateAddress = (address: string): boolean => address.startsWith(START);

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
};

export interface Origin {
  readonly server: string;
  /** A template where there are values. */
  readonly uri: string;
  readonly values?: Readonly<Record<string, string>>;
}

/** Returns the URI at the server, with the values of a template filled in; nothing where that fails. */
export const expanded = ({ UriTemplate }: Sdk, { uri, values }: Origin): string | undefined => {
  if (!values) return uri;
  try {
    return new UriTemplate(uri).expand({ ...values });
  } catch {
    return undefined;
  }
};

/** Reads an address; returns nothing for one of another kind, or an incomplete one. */
export const originOf = (address: string): Origin | undefined => {
  if (!address.startsWith(START)) return undefined;
  const [path = '', query, ...others] = address.slice(START.length).split('?');
  const [first = '', second = '', ...more] = path.split('/');
  const [server, uri] = [decoded(first), decoded(second)];
  const isWhole = server !== undefined && uri && more.length === 0 && others.length === 0;
  if (!isWhole) return undefined;
  if (query === undefined) return { server, uri };
  return { server, uri, values: Object.fromEntries(new URLSearchParams(query)) };
};
