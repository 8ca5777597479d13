/** Checks settings that a program hands over as an object, e.g. to the library. */

import { isRecord } from '../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { ConfigError } from '../config-error.ts';
import type { ConfigPath } from '../document/config-shape.ts';
import { configShape } from '../document/read-config-shape.ts';
import type { Config } from '../schema.ts';
import { resolveLayers } from './resolve-layers.ts';

/** Deeper than any setting lies; it also ends the search in an object that holds itself. */
const DEEPEST = 16;

const prototypeKeyIn = (value: unknown, path: ConfigPath): ConfigPath | undefined => {
  if (!isRecord(value) || path.length > DEEPEST) return undefined;
  for (const key of Object.keys(value)) {
    const below = [...path, key];
    const found = isPrototypeKey(key) ? below : prototypeKeyIn(value[key], below);
    if (found) return found;
  }
  return undefined;
};

/** Throws `ConfigError` with every problem; `name` stands in it where a file would. */
export const parseConfig = (value: unknown, name = 'config'): Config => {
  if (!isRecord(value)) {
    throw new ConfigError([{ file: name, path: '', message: 'expected a mapping of sections' }]);
  }
  const hostile = prototypeKeyIn(value, []);
  if (hostile) {
    const message = 'this key is not allowed';
    throw new ConfigError([{ file: name, path: hostile.join('.'), message }]);
  }
  const layer = { path: name, value, position: () => undefined };
  const { config, problems } = resolveLayers([layer], configShape());
  if (config === undefined) throw new ConfigError(problems);
  return config;
};
