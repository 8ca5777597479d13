/** Reads the layer table of ARCHITECTURE.md, so that the page people read is the rule itself. */

export interface Layer {
  /** Folders and root files of src; empty together with `libraries: false` means nothing at all. */
  readonly mayImport: ReadonlySet<string>;
  readonly libraries: boolean;
  /** A drawer of interchangeable drivers, none of which may know another. */
  readonly drawer: boolean;
}

export type LayerTable = ReadonlyMap<string, Layer>;

const quoted = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Throws when the page holds no table headed `folder | may import`. */
export const readLayerTable = (page: string): LayerTable => {
  const lines = page.split('\n');
  const head = lines.findIndex((line) => cellsOf(line).join('|') === 'folder|may import');
  if (head < 0) throw new Error('No table headed "folder | may import".');
  const table = new Map<string, Layer>();
  for (const line of lines.slice(head + 2)) {
    const [folders, rule] = cellsOf(line);
    if (folders === undefined || rule === undefined) break;
    const layer = {
      mayImport: new Set(quoted(rule)),
      libraries: !rule.startsWith('nothing'),
      drawer: rule.includes('no sibling driver'),
    };
    for (const folder of quoted(folders)) table.set(folder, layer);
  }
  return table;
};
