/** What the kinds of `toolcrib add` that take the address of a service have in common. */
import { parseUrl } from '../../../kit/http/parse-url.ts';
import { misuse } from '../../input/misuse.ts';

/** Parses an address with one of these protocols and no credentials; `undefined` for anything else. */
export const serviceUrl = (typed: string, protocols: readonly string[]): URL | undefined => {
  const url = parseUrl(typed);
  const isUsable =
    url !== undefined &&
    protocols.includes(url.protocol) &&
    url.hostname !== '' &&
    url.username === '' &&
    url.password === '';
  return isUsable ? url : undefined;
};

/** Reads the `name=value` pairs of an option. Throws a misuse for any other text. */
export const pairsFrom = (
  option: '--header' | '--metadata',
  pairs: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      throw misuse(
        `${option} takes a name and a value.`,
        `For example: ${option} 'x-api-key=\${secret:SHOP_KEY}'`,
      );
    }),
  );
