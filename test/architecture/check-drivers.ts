/**
 * No driver of a drawer knows another. A driver is a folder of the drawer, or a root file of it
 * that something outside the drawer imports; any other root file is private and may be shared.
 */
import { type Import, importsOf } from './imports.ts';
import type { LayerTable } from './layer-table.ts';
import { isTest, type Problems, type SourceText } from './source-text.ts';

/** `src/stores/sqlite/open.ts` in `stores` → `sqlite`; `src/stores/memory.ts` → `memory.ts`. */
const childOf = (path: string, drawer: string): string | undefined =>
  path.startsWith(`src/${drawer}/`) ? path.split('/')[2] : undefined;

const checkDrawer = (drawer: string, imports: readonly Import[]): Problems => {
  const crossings = imports
    .map(({ from, to, place }) => ({
      from: childOf(from, drawer),
      to: childOf(to, drawer),
      place,
    }))
    .filter(({ from, to }) => to !== undefined && to !== from);
  const wanted = new Set(crossings.filter(({ from }) => from === undefined).map(({ to }) => to));
  return crossings
    .filter(({ from }) => from !== undefined)
    .filter(({ to }) => !to?.endsWith('.ts') || wanted.has(to))
    .map(({ from, to, place }) => `${place} ${drawer}/${from} imports the driver ${drawer}/${to}`);
};

export const checkDrivers = (files: readonly SourceText[], table: LayerTable): Problems => {
  const imports = files.filter((file) => !isTest(file.path)).flatMap(importsOf);
  return [...table]
    .filter(([, layer]) => layer.drawer)
    .flatMap(([drawer]) => checkDrawer(drawer, imports));
};
