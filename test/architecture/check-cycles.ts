/** No file imports itself by way of others, not even for a type. */
import { importsOf } from './imports.ts';
import { isTest, type Problems, type SourceText } from './source-text.ts';

type Graph = ReadonlyMap<string, readonly string[]>;

const graphOf = (files: readonly SourceText[]): Graph =>
  new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter((found) => found.ours)
        .map((found) => found.to),
    ]),
  );

/** Depth first; a name met again while it is still on the trail closes a cycle. */
export const checkCycles = (files: readonly SourceText[]): Problems => {
  const graph = graphOf(files.filter((file) => !isTest(file.path)));
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (name: string, trail: readonly string[]): void => {
    const met = trail.indexOf(name);
    if (met >= 0) cycles.push([...trail.slice(met), name].join(' → '));
    if (met >= 0 || done.has(name)) return;
    for (const next of graph.get(name) ?? []) walk(next, [...trail, name]);
    done.add(name);
  };
  for (const name of graph.keys()) walk(name, []);
  return cycles;
};
