/** How a benchmark speaks: rows with a figure, ratios and a verdict, and a table of them. */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Beyond this share of the median a verdict says more about the machine than about the code. */
const NOISY = 0.25;

/**
 * A row is `{ name, value, best?, unit, spread?, ratios?, target? }`; `best` is the fastest round,
 * `ratios` maps a baseline to how many times its time this one took, `target` is `{ text, met }`.
 */
export const target = (text, met) => ({ text, met });

const round = (value) => {
  if (value >= 1000) return Math.round(value).toLocaleString('en-GB');
  return Number(value.toPrecision(3)).toString();
};

/** A ratio or two stand in the row itself; more go below it, three a line. */
const ratioLines = (ratios = {}) => {
  const texts = Object.entries(ratios).map(([baseline, ratio]) => `${round(ratio)}× ${baseline}`);
  if (texts.length <= 2) return [texts.join(', ')];
  const lines = [''];
  for (let i = 0; i < texts.length; i += 3) lines.push(`    ${texts.slice(i, i + 3).join(', ')}`);
  return lines;
};

const verdictText = ({ target, spread = 0 }) => {
  if (target === undefined) return '';
  const doubt = spread > NOISY ? ' (noisy)' : '';
  return `${target.met ? 'PASS' : 'FAIL'}${doubt} ${target.text}`;
};

const cells = (row) => [
  row.name,
  `${round(row.value)} ${row.unit}`,
  row.best === undefined ? '' : round(row.best),
  row.spread === undefined ? '' : `±${Math.round(row.spread * 100)}%`,
  verdictText(row),
  ratioLines(row.ratios)[0],
];

export const printTable = (title, rows) => {
  const head = ['', 'median', 'best', 'spread', 'target', 'N times the time of'];
  const lines = [head, ...rows.map(cells)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  console.log(`\n${title}`);
  const print = (line) =>
    console.log(
      line
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    );
  print(head);
  rows.forEach((row, i) => {
    print(lines[i + 1]);
    for (const line of ratioLines(row.ratios).slice(1)) console.log(line);
  });
};

export const allMet = (rows) => rows.every((row) => row.target?.met !== false);

export const readOptions = () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  return values;
};

/** Runs a benchmark when its file is the program, and exits with 1 when a target is missed. */
export const runIfMain = async (url, title, measure) => {
  if (realpathSync(process.argv[1]) !== fileURLToPath(url)) return;
  const rows = await measure(readOptions());
  printTable(title, rows);
  if (!allMet(rows)) process.exitCode = 1;
};
