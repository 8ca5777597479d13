/**
 * Settings that nobody reads: documented, checked, and without effect. Goes by the name of a setting,
 * so it finds what is spelled nowhere outside the configuration.
 */
import { isTest, type Problems, type SourceText } from './source-text.ts';

export interface Setting {
  readonly path: readonly string[];
  readonly about: string;
}

const CONFIG = 'src/config/';
/** What the page says of a setting whose part is still to come. */
const RESERVED = /Not built yet\.$/;

const wordsOf = (sources: readonly SourceText[]): ReadonlySet<string> =>
  new Set(
    sources
      .filter(({ path }) => !path.startsWith(CONFIG) && !isTest(path))
      .flatMap(({ text }) => text.match(/[A-Za-z_$][\w$]*/g) ?? []),
  );

export const checkSettings = (
  settings: readonly Setting[],
  sources: readonly SourceText[],
): Problems => {
  const words = wordsOf(sources);
  return settings
    .filter(({ about }) => !RESERVED.test(about))
    .filter(({ path }) => path.some((key) => /^\w+$/.test(key) && !words.has(key)))
    .map(({ path }) => `${path.join('.')} is read by nobody outside ${CONFIG}`);
};
