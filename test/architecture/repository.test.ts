/** The rules of the house, held against the repository as it is. */
import { describe, expect, it } from 'vitest';
import { checkAmbient } from './check-ambient.ts';
import { checkComments } from './check-comments.ts';
import { checkCopies } from './check-copies.ts';
import { checkCycles } from './check-cycles.ts';
import { checkDrivers } from './check-drivers.ts';
import { checkExamples } from './check-examples.ts';
import { checkExports, entriesOf, type PackageFile } from './check-exports.ts';
import { checkFragments } from './check-fragments.ts';
import { checkLayers, layerOf } from './check-layers.ts';
import { checkFolders, checkLengths, longFiles } from './check-lengths.ts';
import { checkLoading } from './check-loading.ts';
import { checkLocalNames } from './check-local-names.ts';
import { checkMatchers } from './check-matchers.ts';
import { checkNames } from './check-names.ts';
import { checkPublicTypes, exportsOf } from './check-public-types.ts';
import { checkSharedLines } from './check-shared-lines.ts';
import { checkWaits } from './check-waits.ts';
import { drawnFolders } from './drawn-folders.ts';
import { readLayerTable } from './layer-table.ts';
import { readSources, readText } from './source-text.ts';

const sources = readSources('src');
const tests = readSources('test');
const page = readText('ARCHITECTURE.md');
const table = readLayerTable(page);
const pack: PackageFile = JSON.parse(readText('package.json'));

describe('repository', () => {
  it('has sources to judge', () => {
    expect(sources.length).toBeGreaterThan(20);
  });

  it('imports only in the direction of the layer table', () => {
    expect(checkLayers(sources, table)).toEqual([]);
  });

  it('has no driver that knows another', () => {
    expect(checkDrivers(sources, table)).toEqual([]);
  });

  it('has no import cycle, of types either', () => {
    expect(checkCycles(sources)).toEqual([]);
  });

  it('keeps files short', () => {
    const long = longFiles(sources);
    if (long.length > 0) console.warn(`Look again at: ${long.join(', ')}`);
    expect(checkLengths([...sources, ...tests])).toEqual([]);
  });

  it('names what its variables hold', () => {
    expect(checkLocalNames([...sources, ...readSources('console/src')])).toEqual([]);
  });

  it('keeps folders small', () => {
    expect(checkFolders(sources)).toEqual([]);
  });

  it('has no fragment of a file as a file of its own', () => {
    expect(checkFragments(sources)).toEqual([]);
  });

  it('opens each file with what it answers for', { timeout: 120_000 }, () => {
    expect(checkComments([...sources, ...tests])).toEqual([]);
  });

  it('exports by name, through published entries that exist', () => {
    expect(checkExports(sources, pack)).toEqual([]);
  });

  it('exports every type that an exported one mentions', () => {
    expect(checkPublicTypes(sources, entriesOf(pack))).toEqual([]);
  });

  it('shows how to call whatever programs call', () => {
    expect(checkExamples(sources, exportsOf(sources, entriesOf(pack)))).toEqual([]);
  });

  it('does nothing while a module loads', () => {
    expect(checkLoading(sources)).toEqual([]);
  });

  it('has environment, console, clock and chance handed in', () => {
    expect(checkAmbient(sources)).toEqual([]);
  });

  it('expects nothing that anything would fit', () => {
    expect(checkMatchers([...sources, ...tests])).toEqual([]);
  });

  it('has patience where it waits', () => {
    expect(checkWaits([...sources, ...tests, ...readSources('console/src')])).toEqual([]);
  });

  it('has no function twice', () => {
    expect(checkCopies(sources)).toEqual([]);
  });

  it('has no dozen lines twice', () => {
    expect(checkSharedLines(sources)).toEqual([]);
  });

  it('names files for what they hold', () => {
    expect(checkNames([...sources, ...tests])).toEqual([]);
  });

  it('draws the tree that is there', () => {
    const code = sources.filter(({ path }) => !path.endsWith('.test.ts'));
    const there = new Set(code.map(({ path }) => layerOf(path)));
    expect([...drawnFolders(page)].sort()).toEqual([...there].sort());
  });
});
