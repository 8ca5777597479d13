/**
 * Environment variables to layers, one each. Names and types are derived from the schema, so every
 * setting has a variable and a variable that sets nothing is an error, not a silent nothing.
 */

import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
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
import { NOT_SETTINGS, settingsIn } from './environment-settings.ts';
import type { Environment } from './find-config-files.ts';
import type { Layer } from './layer.ts';
import { parseSetting } from './parse-setting.ts';

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

/** The path of the setting, with the names the variable holds put in. */
const concretePath = (pattern: Pattern, variable: string): readonly string[] | undefined => {
  const names = pattern.matcher.exec(variable)?.slice(1);
  if (!names) return undefined;
  return pattern.path.map((key) => (key === ANY_NAME ? (names.shift() as string) : key));
};

const unknownVariable = (variable: string, patterns: readonly Pattern[]): string => {
  const name = variable.split('__')[1] ?? ANY_NAME;
  const known = patterns.map((pattern) => pattern.name.replace(ANY_NAME, name));
  return `sets nothing${didYouMean(variable, [...known, ...NOT_SETTINGS])}`;
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

/** Never throws: what is wrong comes back as problems. */
export const environmentLayers = (env: Environment, shape: ShapeNode): EnvironmentReading => {
  const variables = settingsIn(env);
  const patterns = variables.length > 0 ? patternsOf(shape) : [];
  const readings = variables.map(([name, text]) => readVariable(name, text, patterns));
  return {
    layers: readings.flatMap((reading) => ('layer' in reading ? [reading.layer] : [])),
    problems: readings.flatMap((reading) => ('problem' in reading ? [reading.problem] : [])),
  };
};
