/** Checks settings that a program passes as an object. */
import { isRecord } from '../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { ConfigError } from '../config-error.ts';
import type { ConfigPath } from '../document/config-shape.ts';
import { configShape } from '../document/read-config-shape.ts';
import type { Config } from '../schema.ts';
import { resolveLayers } from './resolve-layers.ts';

/** Deeper than any setting; also ends the search in a circular object. */
const MAX_DEPTH = 16;

const prototypeKeyIn = (value: unknown, path: ConfigPath): ConfigPath | undefined => {
  if (!isRecord(value) || path.length > MAX_DEPTH) return undefined;
  for (const key of Object.keys(value)) {
    const below = [...path, key];
    const keyPath = isPrototypeKey(key) ? below : prototypeKeyIn(value[key], below);
    if (keyPath) return keyPath;
  }
  return undefined;
};

/** Throws `ConfigError` with every problem; `name` replaces the name of a file in it. */
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
