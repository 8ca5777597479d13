/**
 * English text as sentences of tagged words, with the feelings and the entities the language library
 * finds in them. The library works offline and is loaded with the first text.
 */
import { setImmediate } from 'node:timers/promises';
import type { Detail, ItemSentence, WinkMethods } from 'wink-nlp';
import { ToolFailure } from '../../../contract/errors.ts';
import { splitPieces } from './split-pieces.ts';

export interface Word {
  readonly text: string;
  /** The base form in lower case: what `networks` and `network` share. */
  readonly lemma: string;
  /** Part of speech, e.g. `NOUN` or `PROPN`. */
  readonly tag: string;
  /** A word that carries meaning: not a function word, number or sign. */
  readonly isContent: boolean;
}

export interface Sentence {
  readonly text: string;
  /** −1 (bad) to 1 (good); 0 when nothing is felt. */
  readonly feeling: number;
  readonly words: readonly Word[];
  readonly entities: readonly Detail[];
}

export interface ReadOptions {
  readonly signal: AbortSignal;
  progress(fraction: number): void;
}

export interface LanguageReader {
  /** Lets other work run between pieces. Fails with CANCELLED when the signal says so. */
  read(text: string, options: ReadOptions): Promise<readonly Sentence[]>;
}

/** The library remembers every word it ever saw, so it is replaced after this many characters. */
const WORN_OUT = 2_000_000;

const loadLibrary = async (): Promise<WinkMethods> => {
  const [{ default: wink }, { default: model }] = await Promise.all([
    import('wink-nlp'),
    import('wink-eng-lite-web-model'),
  ]);
  return wink(model);
};

const wordsOf = (sentence: ItemSentence, { its }: WinkMethods): readonly Word[] => {
  const tokens = sentence.tokens();
  const [lemmas, tags, kinds, stops] = [
    tokens.out(its.lemma) as string[],
    tokens.out(its.pos) as string[],
    tokens.out(its.type) as string[],
    tokens.out(its.stopWordFlag) as boolean[],
  ];
  return tokens.out().map((text, at) => ({
    text,
    lemma: (lemmas[at] ?? text).toLowerCase(),
    tag: tags[at] ?? 'X',
    isContent: kinds[at] === 'word' && stops[at] === false && /\p{L}{2}/u.test(text),
  }));
};

const sentencesOf = (piece: string, library: WinkMethods): readonly Sentence[] => {
  const { its } = library;
  const found: Sentence[] = [];
  library
    .readDoc(piece)
    .sentences()
    .each((sentence: ItemSentence) => {
      const feeling = Number(sentence.out(its.sentiment)) || 0;
      found.push({
        text: sentence.out().replace(/\s+/g, ' ').trim(),
        feeling: Math.max(-1, Math.min(1, feeling)),
        words: wordsOf(sentence, library),
        entities: sentence.entities().out(its.detail) as Detail[],
      });
    });
  return found;
};

export const createLanguageReader = (): LanguageReader => {
  let library: Promise<WinkMethods> | undefined;
  let worn = 0;
  const borrow = (characters: number): Promise<WinkMethods> => {
    if (worn > WORN_OUT) library = undefined;
    worn = library === undefined ? characters : worn + characters;
    library ??= loadLibrary();
    return library;
  };
  return {
    read: async (text, { signal, progress }) => {
      const loaded = await borrow(text.length);
      const pieces = splitPieces(text);
      const sentences: Sentence[] = [];
      for (const [at, piece] of pieces.entries()) {
        if (signal.aborted) throw new ToolFailure('CANCELLED');
        sentences.push(...sentencesOf(piece, loaded));
        progress((at + 1) / pieces.length);
        await setImmediate();
      }
      return sentences;
    },
  };
};
