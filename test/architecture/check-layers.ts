/** Every import of src points the way the layer table allows, type imports included. */
import { type Import, importsOf } from './imports.ts';
import type { LayerTable } from './layer-table.ts';
import { isTest, type Problems, type SourceText } from './source-text.ts';

/** `src/stores/sqlite/open.ts` → `stores`; `src/crib/create-crib.ts` → `crib.ts`. */
export const layerOf = (path: string): string => path.split('/')[1] ?? '';

/** Loads the module that a person names on the command line: its name cannot be known before. */
const LOADS_BY_NAME = 'src/cli/commands/flow/flow-modules.ts';

const problemOf = (found: Import, table: LayerTable): string | undefined => {
  const from = layerOf(found.from);
  const layer = table.get(from);
  if (layer === undefined) return undefined;
  if (found.to === '(computed)') {
    if (found.from === LOADS_BY_NAME) return undefined;
    return `${found.place} imports a name that is worked out`;
  }
  if (!found.ours) {
    return layer.libraries ? undefined : `${found.place} ${from} imports ${found.to}`;
  }
  if (!found.to.startsWith('src/')) return `${found.place} leaves src for ${found.to}`;
  if (!found.to.endsWith('.ts')) return `${found.place} imports ${found.to} without .ts`;
  if (isTest(found.to)) return `${found.place} imports the test ${found.to}`;
  const to = layerOf(found.to);
  return to === from || layer.mayImport.has(to)
    ? undefined
    : `${found.place} ${from} may not import ${to} (${found.to})`;
};

export const checkLayers = (files: readonly SourceText[], table: LayerTable): Problems => {
  const sources = files.filter((file) => !isTest(file.path));
  const unlisted = new Set(sources.map((file) => layerOf(file.path)));
  for (const known of table.keys()) unlisted.delete(known);
  return [
    ...[...unlisted].map((name) => `src/${name} is not in the layer table`),
    ...sources.flatMap(importsOf).flatMap((found) => problemOf(found, table) ?? []),
  ];
};
