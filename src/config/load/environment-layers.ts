/**
 * Reads environment variables as layers, one each. Names and types are derived from the schema, so every
 * setting has a variable, and a variable that sets nothing is an error.
 */ import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import type { ConfigProblem } from '../config-error.ts';
import {
  ANY_NAME,
  type ConfigField,
  configFields,
  environmentName,
} from '../document/config-fields.ts';
import type { ShapeNode } from '../document/config-shape.ts';
import type { Tree } from '../document/config-tree.ts';
import { type Environment, NOT_SETTINGS, settingsIn } from './find-config-files.ts';
import type { Layer } from './layer.ts';

interface Pattern extends ConfigField {
  readonly name: string;
  readonly matcher: RegExp;
}

const patternsOf = (shape: ShapeNode): readonly Pattern[] =>
  configFields(shape)
    .map((field) => {
      const name = environmentName(field.path);
      const matcher = new RegExp(`^${name.replaceAll(ANY_NAME, '(.+?)')}$`, 's');
      return { ...field, name, matcher };
    })
    // The longest first: …__x__ENV__URL sets a variable of server x, not the url of "x__ENV".
    .toSorted((a, b) => b.path.length - a.path.length);

const nest = (path: readonly string[], value: unknown): Tree =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Tree;

/** Gives the path of the setting, with the names that the variable holds. */
const concretePath = (pattern: Pattern, variable: string): readonly string[] | undefined => {
  const names = pattern.matcher.exec(variable)?.slice(1);
  if (!names) return undefined;
  return pattern.path.map((key) => (key === ANY_NAME ? (names.shift() as string) : key));
};

const unknownVariable = (variable: string, patterns: readonly Pattern[]): string => {
  const name = variable.split('__')[1] ?? ANY_NAME;
  const names = patterns.map((pattern) => pattern.name.replace(ANY_NAME, name));
  return `sets nothing${didYouMean(variable, [...names, ...NOT_SETTINGS])}`;
};

type Reading = { readonly layer: Layer } | { readonly problem: ConfigProblem };

const readVariable = (variable: string, text: string, patterns: readonly Pattern[]): Reading => {
  const fault = (path: string, message: string): Reading => ({
    problem: { file: variable, path, message },
  });
  for (const pattern of patterns) {
    const path = concretePath(pattern, variable);
    if (!path) continue;
    if (path.some(isPrototypeKey)) return fault('', 'holds a name that is not allowed');
    const parsed = parseSetting(text, pattern.shape);
    return 'fault' in parsed
      ? fault(path.join('.'), parsed.fault)
      : { layer: { path: variable, value: nest(path, parsed.value), position: () => undefined } };
  }
  return fault('', unknownVariable(variable, patterns));
};

export interface EnvironmentReading {
  readonly layers: readonly Layer[];
  readonly problems: readonly ConfigProblem[];
}

/** Reads the variables. Never throws: returns problems. */
export const environmentLayers = (env: Environment, shape: ShapeNode): EnvironmentReading => {
  const variables = settingsIn(env);
  const patterns = variables.length > 0 ? patternsOf(shape) : [];
  const readings = variables.map(([name, text]) => readVariable(name, text, patterns));
  return {
    layers: readings.flatMap((reading) => ('layer' in reading ? [reading.layer] : [])),
    problems: readings.flatMap((reading) => ('problem' in reading ? [reading.problem] : [])),
  };
};

type ParsedSetting = { readonly value: unknown } | { readonly fault: string };

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['0', false],
  ['no', false],
  ['off', false],
]);

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const fromJson = (text: string): ParsedSetting => {
  try {
    return {
      value: JSON.parse(text, (key, value: unknown) => {
        if (isPrototypeKey(key)) throw new SyntaxError('prototype key');
        return value;
      }),
    };
  } catch {
    return { fault: 'starts like JSON but is none that can be used' };
  }
};

const fromWord = (text: string): ParsedSetting => {
  const value = WORDS.get(text.toLowerCase());
  return value === undefined ? { fault: 'expected true or false' } : { value };
};

const fromNumber = (text: string): ParsedSetting =>
  NUMBER.test(text) ? { value: Number(text) } : { fault: 'expected a number' };

const fromList = (text: string): ParsedSetting =>
  text.startsWith('[')
    ? fromJson(text)
    : {
        value: text
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
      };

/** Parses a setting that allows several types: JSON for a mapping, a number, a boolean, or text. */
const fromOneOf = (text: string, kinds: readonly ShapeNode[]): ParsedSetting => {
  if (text.startsWith('{')) return fromJson(text);
  if (kinds.some((kind) => kind.type === 'number') && NUMBER.test(text)) return fromNumber(text);
  const word = kinds.some((kind) => kind.type === 'boolean') ? fromWord(text) : undefined;
  return word && 'value' in word ? word : { value: text };
};

/** Converts the text of a variable to the type of its setting; the schema checks bounds and choices. */
const parseSetting = (text: string, shape: ShapeNode): ParsedSetting => {
  const trimmed = text.trim();
  const kinds = shape.anyOf;
  if (kinds) return fromOneOf(trimmed, kinds);
  switch (shape.type) {
    case 'boolean':
      return fromWord(trimmed);
    case 'integer':
    case 'number':
      return fromNumber(trimmed);
    case 'array':
      return fromList(trimmed);
    default:
      return { value: shape.enum ? trimmed : text };
  }
};
