/**
 * Changes one setting in a configuration file. Comments, order and layout stay; the result is checked
 * before it replaces the file in one step.
 */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../kit/data/prototype-key.ts';
import { replaceFile } from '../../kit/file/replace-file.ts';
import { ConfigError } from '../config-error.ts';
import type { ConfigPath } from '../document/config-shape.ts';
import type { Tree } from '../document/config-tree.ts';
import { configShape } from '../document/read-config-shape.ts';
import { composeYaml, parseConfigText } from '../load/parse-config-text.ts';
import { readConfigText } from '../load/read-config-file.ts';
import { layerProblems } from '../load/resolve-layers.ts';
import { type Setting, spliceSetting } from './splice-setting.ts';

const refuse = (file: string, path: ConfigPath, message: string): never => {
  throw new ConfigError([{ file, path: path.join('.'), message }]);
};

/** Sets the value in the data, to compare with the edited text. */
const withValue = (data: unknown, path: ConfigPath, value: unknown): unknown => {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(data)) {
    return data.map((item, index) => (index === key ? withValue(item, rest, value) : item));
  }
  const tree: Tree = isRecord(data) ? data : {};
  const old = Object.hasOwn(tree, key) ? tree[key] : undefined;
  return { ...tree, [key]: withValue(old, rest, value) };
};

/** Edits the text. Throws `ConfigError` for a file or a value that is invalid. */
const editText = async (file: string, text: string, { path, value }: Setting): Promise<string> => {
  const { document, problems } = await composeYaml(text);
  const before = await parseConfigText(text);
  if (!document || before.problems.length > 0) {
    throw new ConfigError([...problems, ...before.problems].map((fault) => ({ file, ...fault })));
  }
  const edited = await spliceSetting(text, document, { path, value });
  const after = edited === undefined ? undefined : await parseConfigText(edited);
  const expected = withValue(before.value, path, value);
  if (edited === undefined || !isDeepStrictEqual(after?.value, expected)) {
    return refuse(file, path, 'cannot be changed here without harm to the rest; edit it by hand');
  }
  const faults = layerProblems(
    { path: file, value: after?.value ?? {}, position: () => undefined },
    configShape(),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  return edited;
};

export interface ConfigEdit {
  /** `undefined` when the file did not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/**
 * Sets `path` to `value` in `file`, which is created when it does not exist. Throws `ConfigError` and
 * leaves the file as it is when it is invalid or would become invalid.
 */
export const setInConfigFile = async (
  file: string,
  path: (string | number)[],
  value: unknown,
): Promise<ConfigEdit> => {
  if (path.length === 0) return refuse(file, path, 'name the setting to change');
  if (path.some(isPrototypeKey)) return refuse(file, path, 'this key is not allowed');
  const { text, fault } = await readConfigText(file);
  if (fault !== undefined) return refuse(file, [], fault);
  const edited = await editText(file, text ?? '', { path, value });
  if (edited !== text) await replaceFile(file, edited);
  return { before: text, after: edited };
};
