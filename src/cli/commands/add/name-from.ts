/** Makes the name of a source from an address, a path or the name of a package. */

const MAX_NAME = 40;
/** Parts of addresses that do not help to tell sources apart. */
const GENERIC_PART =
  /^(?:www|api|apis|mcp|docs?|raw|spec|index|v?\d+|com|org|net|io|dev|app|localhost|server|openapi|swagger|schema|graphql|grpc|wss?|socket)$/i;

const wordsOf = (address: string): readonly string[] => {
  const url = URL.canParse(address) && /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  if (!url) {
    const file = address.split(/[\\/]/).at(-1) ?? address;
    return [file.replace(/(?:\.(?:json|ya?ml|graphqls?|gql|proto))+$/i, '')];
  }
  const { hostname, pathname } = new URL(address);
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const path = pathname.split('/').map((part) => part.replace(/\.[a-z]+$/i, ''));
  const labels = hostname.split('.');
  const host = labels.length > 1 ? labels.slice(0, -1) : labels;
  return [...(isAddress ? [] : host), ...path.toReversed()];
};

const asName = (word: string): string =>
  word
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, MAX_NAME);

/** Makes a name from the first telling part of an address; else `otherwise`, else whatever part there is. */
export const nameFrom = (address: string, otherwise?: string): string => {
  const words = wordsOf(address)
    .map(asName)
    .filter((word) => word !== '');
  return words.find((word) => !GENERIC_PART.test(word)) ?? otherwise ?? words[0] ?? 'source';
};
