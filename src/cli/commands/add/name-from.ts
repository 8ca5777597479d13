/** Makes the name of a source from an address, a path or the name of a package. */

const MAX_NAME = 40;
/** Parts of addresses that say nothing about what is there. */
const DULL =
  /^(?:www|api|apis|mcp|docs?|v?\d+|com|org|net|io|dev|app|localhost|server|openapi|swagger|schema|graphql)$/i;

const wordsOf = (address: string): readonly string[] => {
  const url = URL.canParse(address) && /^[a-z][a-z0-9+.-]*:\/\//i.test(address);
  if (!url) {
    const file = address.split(/[\\/]/).at(-1) ?? address;
    return [file.replace(/(?:\.(?:json|ya?ml|graphqls?|gql|proto))+$/i, '')];
  }
  const { hostname, pathname } = new URL(address);
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const path = pathname.split('/').map((part) => part.replace(/\.[a-z]+$/i, ''));
  return [...(isAddress ? [] : hostname.split('.').slice(0, -1)), ...path.toReversed()];
};

const asName = (word: string): string =>
  word
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, MAX_NAME);

/** Returns `source` where the address says nothing. */
export const nameFrom = (address: string): string => {
  const words = wordsOf(address)
    .map(asName)
    .filter((word) => word !== '');
  return words.find((word) => !DULL.test(word)) ?? words[0] ?? 'source';
};
