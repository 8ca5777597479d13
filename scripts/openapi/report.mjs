/** Sums up what became of the documents, and prints it. */

const percent = (part, whole) => (whole === 0 ? 100 : (100 * part) / whole);
const percentText = (part, whole) => `${percent(part, whole).toFixed(2)} %`;
const sum = (results, key) => results.reduce((total, one) => total + (one[key] ?? 0), 0);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const countText = (count) => count.toLocaleString('en-GB');

/** The share of documents, and of operations, that have to be imported. */
export const MIN_PERCENT = 99.5;

const isImported = (one) => one.refused === undefined && !one.crashed && !one.threw;

const reasonOf = (one) => one.refused ?? one.threw ?? one.crashed;

export const summarize = (results) => {
  const imported = results.filter(isImported);
  return {
    documents: results.length,
    imported: imported.length,
    operations: sum(results, 'operations'),
    tools: sum(imported, 'tools'),
    good: sum(imported, 'good'),
    schemaFaults: sum(imported, 'schemaFaults'),
    listingFaults: sum(imported, 'listingFaults'),
    tooLong: imported.reduce((total, { tooLong = [] }) => total + tooLong.length, 0),
    notUnique: imported.filter(({ isUnique }) => isUnique === false).length,
    unstable: imported.filter(({ unstable }) => unstable && unstable.again + unstable.reversed > 0)
      .length,
    importMs: sum(results, 'importMs'),
    peakMb: results.reduce((most, { peakMb = 0 }) => Math.max(most, peakMb), 0),
  };
};

const table = (rows) => {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
  }
};

/** One row an importer. */
export const printSummary = (summaries) => {
  const head = ['', 'documents imported', 'operations as tools', 'compile, safe listing'];
  table([
    [...head, 'time of imports', 'most memory'],
    ...Object.entries(summaries).map(([name, all]) => [
      name,
      `${all.imported} of ${all.documents} (${percentText(all.imported, all.documents)})`,
      `${countText(all.tools)} of ${countText(all.operations)} (${percentText(all.tools, all.operations)})`,
      all.judged === false ? 'not checked' : percentText(all.good, all.operations),
      seconds(all.importMs),
      `${countText(all.peakMb)} MB`,
    ]),
  ]);
};

const grouped = (entries) => {
  const groups = new Map();
  for (const { reason, name } of entries) {
    const key = reason
      .replaceAll(/["'`].*?["'`]/g, '…')
      .replaceAll(/\d+/g, 'N')
      .slice(0, 140);
    const group = groups.get(key) ?? { count: 0, reason, name };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
};

const printGroups = (title, entries, most = 12) => {
  if (entries.length === 0) return;
  console.log(`\n${title}: ${entries.length}`);
  for (const { count, reason, name } of grouped(entries).slice(0, most)) {
    console.log(`  ${count} × ${reason.slice(0, 200)}   (${name})`);
  }
};

export const printDetails = (results) => {
  printGroups(
    'Documents that were refused',
    results.filter((one) => !isImported(one)).map((one) => ({ ...one, reason: reasonOf(one) })),
  );
  printGroups(
    'Operations that were refused',
    results.flatMap(({ name, refusedTools = [] }) =>
      refusedTools.map((one) => ({ name: `${name}: ${one.name}`, reason: one.reason })),
    ),
  );
  printGroups(
    'Tools that no client or no schema compiler takes',
    results.flatMap(({ name, faults = [] }) =>
      faults.map((one) => ({ name: `${name}: ${one.tool}`, reason: one.fault })),
    ),
  );
  printGroups(
    'Documents whose tools changed when they were read again',
    results
      .filter(({ unstableNames = [] }) => unstableNames.length > 0)
      .map(({ name, unstableNames }) => ({ name, reason: unstableNames.join(', ') })),
  );
};

export const printSlowest = (results) => {
  console.log('\nThe ten slowest imports');
  const slowest = [...results].sort((a, b) => (b.importMs ?? 0) - (a.importMs ?? 0)).slice(0, 10);
  table([
    ['document', 'size', 'operations', 'import', 'import and checks', 'memory of the process'],
    ...slowest.map(({ name, bytes, operations = 0, importMs = 0, totalMs = 0, peakMb = 0 }) => [
      ...[name, `${(bytes / 1e6).toFixed(1)} MB`, countText(operations)],
      ...[seconds(importMs), seconds(totalMs), `${countText(peakMb)} MB`],
    ]),
  ]);
};

/** Says what misses the targets; nothing when all is well. */
export const missedTargets = (all) => [
  ...(percent(all.imported, all.documents) < MIN_PERCENT
    ? [`only ${percentText(all.imported, all.documents)} of the documents were imported`]
    : []),
  ...(percent(all.good, all.operations) < MIN_PERCENT
    ? [`only ${percentText(all.good, all.operations)} of the operations became usable tools`]
    : []),
  ...(all.tooLong > 0 ? [`${all.tooLong} names are longer than 64 characters`] : []),
  ...(all.notUnique > 0 ? [`${all.notUnique} documents have tools of the same name`] : []),
  ...(all.unstable > 0 ? [`${all.unstable} documents give other tools when read again`] : []),
];
