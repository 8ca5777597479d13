/**
 * Analyses English text: tokens with their part of speech, sentences, entities, sentiment. The library
 * and its model are loaded with the first text.
 */
import type { ItsHelpers, WinkMethods } from 'wink-nlp';

export interface Token {
  readonly text: string;
  /** In lower case, contractions written out. */
  readonly normal: string;
  /** Part of speech by the names of Universal Dependencies, e.g. `PROPN`. */
  readonly speech: string;
  /** `word`, `number`, `punctuation`, `tabCRLF`, … */
  readonly kind: string;
  readonly stop: boolean;
  /** The spaces before it. */
  readonly gap: string;
}

interface EntitySpan {
  readonly type: string;
  readonly value: string;
  /** The indices of the first and the last token. */
  readonly span: readonly [number, number];
}

export interface Reading {
  readonly tokens: readonly Token[];
  readonly sentences: readonly string[];
  readonly entities: readonly EntitySpan[];
  /** From -1 to 1. */
  readonly sentiment: number;
}

export type ReadEnglish = (text: string) => Promise<Reading>;

/**
 * The library stores every new word for ever and has room for a few thousand new word beginnings, so it
 * is reloaded after this many characters.
 */
const CHARACTERS_PER_INSTANCE = 1_000_000;

const load = async (): Promise<WinkMethods> => {
  const [{ default: winkNLP }, { default: model }] = await Promise.all([
    import('wink-nlp'),
    import('wink-eng-lite-web-model'),
  ]);
  return winkNLP(model);
};

const read = ({ readDoc, its }: WinkMethods, text: string): Reading => {
  const document = readDoc(text);
  const tokens = document.tokens();
  const all = (feature: keyof ItsHelpers): readonly unknown[] => tokens.out(its[feature] as never);
  const [normal, speech, kind] = [all('normal'), all('pos'), all('type')];
  const [stop, gap] = [all('stopWordFlag'), all('precedingSpaces')];
  const spans = document.entities().out(its.span) as unknown as [number, number][];
  const details = document.entities().out(its.detail) as { type: string; value: string }[];
  return {
    tokens: tokens.out().map((value, i) => ({
      text: value,
      normal: String(normal[i]),
      speech: String(speech[i]),
      kind: String(kind[i]),
      stop: stop[i] === true,
      gap: String(gap[i]),
    })),
    sentences: document.sentences().out(),
    entities: details.map(({ type, value }, i) => ({ type, value, span: spans[i] ?? [0, 0] })),
    sentiment: Number(document.out(its.sentiment)),
  };
};

export const createEnglish = (): ReadEnglish => {
  let instance: Promise<WinkMethods> | undefined;
  let characters = 0;
  return async (text) => {
    characters += text.length;
    if (!instance || characters > CHARACTERS_PER_INSTANCE) {
      characters = text.length;
      instance = load();
      // A library that failed to load may load the next time.
      instance.catch(() => {
        instance = undefined;
      });
    }
    return read(await instance, text);
  };
};
