/** Reads the target of a request to the proxy; gives nothing where it can be read in two ways. */

export interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

const AUTHORITY = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,255})):(\d{1,5})$/i;
const MAX_PORT = 65_535;

/** Reads `host:port` of a CONNECT. No userinfo, no escapes, no other characters at all. */
export const readAuthority = (text: string): ProxyTarget | undefined => {
  const [, address, name, digits] = AUTHORITY.exec(text) ?? [];
  const host = address ?? name;
  const port = Number(digits);
  return host !== undefined && port > 0 && port <= MAX_PORT ? { host, port } : undefined;
};

export interface AbsoluteTarget extends ProxyTarget {
  /** As the Host header has it. */
  readonly authority: string;
  readonly path: string;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const ODD = /[\u0000-\u0020\u007f-\uffff\\]/;

/** Reads the URL of a plain request. Requests to https come as CONNECT. */
export const readAbsolute = (text: string): AbsoluteTarget | undefined => {
  if (!/^http:\/\//i.test(text) || ODD.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, host, port, username, password, pathname, search } = new URL(text);
  // An @ without a name before it leaves no trace in the parsed URL.
  if (username !== '' || password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text)) return undefined;
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  if (bare === '') return undefined;
  return { host: bare, port: Number(port || 80), authority: host, path: pathname + search };
};
