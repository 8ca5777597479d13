/** Threat "Shell": programs of awk that write files, run programs or read what the command does not name. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { onlyPrints } from './awk-program.ts';

const BENIGN = [
  '$3 > 5',
  '$1 >= 10 && $2 == "x > y" { print $1 }',
  '{ if ($1 > max) max = $1 } END { print max }',
  '{ n += ($1 > 3) } END { print n }',
  '{ print ($1 > 2 ? "big" : "small") }',
  '{ if (f($1) > (2)) print $1 }',
  '{ x = $1 > 2 }',
  'NR > 1',
  '/error|warn/ { print NR ": " $0 }',
  '/error/ && $3 > 5 { print $1 }',
  '$1 ~ /^(a|b)$/ { n++ } END { print n }',
  '/systemd|getline/ { print "system" }',
  '$2 == "system" { print "a|b" }',
  '$3 > 5 { print $1 "\\t" $2 }',
  '{ print "say \\"" $1 "\\"" } NR > 3 { exit }',
  '/[[:digit:]]+|x/ { print }',
  '/a\\/b|c/ { print $2 }',
  '/"/ && $1 > 2 { print }',
  'END { if (NR > 0) print sum / NR }',
  '$1/$2 > 0.5 { print $1 }',
  '{ n[$1]++; if (n[$1] / 2 > 3) print $1 }',
  '{ print $1; x = $2 > 3 }',
];

const HOSTILE = [
  '{ print > $1 }',
  '{ print>"f" }',
  '{ print > f }',
  '{ print $1 > "a" ".b" }',
  '{ print ($1 > 2) > "f" }',
  '{ print(1) > "f" }',
  '{ print (1)(2) > "f" }',
  '{ print $1 > 2 ? "f" : "g" }',
  '{ print x[1 > 2] }',
  '{ if ($1 > 2) print $1 > "f" }',
  '$1 > 2 { print > "f" }',
  'NR > 1; { print > "f" }',
  '{ x = $1 > 2; printf x > "f" }',
  '{ print $1,\n$2 > "f" }',
  'BEGIN { for (;; print "x" > "f") y = 1 }',
  'BEGIN { for (print "x" > "f"; 0;) y }',
  'BEGIN { print "a" >> "f" }',
  'BEGIN { printf("%s", "x") > "f" }',
  'BEGIN { do print "x" > "f"; while (0) }',
  '/"/ { print > "f" } /"/',
  '/[/"]/ { print > "f" } /"/',
  'BEGIN { print "\\"" > "f" } # "',
  'BEGIN { print "\\\\" > "f" } # "',
  '{ x = "\\" } { print > "f" } { y = "\\" }',
  '{ print } # "\n{ print > "f" }',
  'BEGIN { print 4 /a, 2/ 1 > "f", /b/ }',
  'BEGIN { a = 8; g = 2; print a /2/ "x" > "f" "/" }',
  'BEGIN { print length /x/ 1 > "f" }',
  'BEGIN { print /a/ > "f" }',
  '{ print > ("f" }',
  'function g(a) { print a > "f" } { g($1) }',
  'BEGIN { x = 1system("id") }',
  'BEGIN { x = 0x1system("id") }',
  'BEGIN { x = /x/system("id") }',
  'BEGIN { print 1ENVIRON["HOME"] }',
  'BEGIN { while ((1getline x < "/etc/passwd") > 0) print x }',
  'BEGIN { getline < "f" }',
  'BEGIN { print "x" | "id" }',
  'BEGIN { print "x" |& "id" }',
  'BEGIN { c = "id"; print 4/2|c }',
  'BEGIN { print "a" "\\"" | "id" } # "',
  'BEGIN { print /a|b/ | "id" }',
  '@include "f"\nNR > 1',
  'BEGIN { f = "system"; @f("id") }',
  'BEGIN { extension("./x.so", "x") }',
  'BEGIN { SYMTAB["x"] = 1 }',
  'BEGIN { print "a\n" > "f" }',
];

describe('a program of awk', () => {
  it.each(BENIGN)('benign: %j only prints', (program) => {
    expect(onlyPrints(program)).toBe(true);
  });

  it.each(HOSTILE)('threat: %j writes or runs something, or may', (program) => {
    expect(onlyPrints(program)).toBe(false);
  });

  it('threat: a long program is judged in no long time', () => {
    const started = process.cpuUsage();
    for (const part of ['(', '/a', '"', '1', '(1)', 'a /', '[', '[[:a:]', ' /']) {
      onlyPrints(`{ x = ${part.repeat(200_000)} > 1 }`);
      onlyPrints(`{ x = ${part.repeat(Math.floor(900 / part.length))} > 1 }`);
    }
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
    expect(onlyPrints(`NR > 1 { print "${'x'.repeat(1000)}" }`)).toBe(false);
  });
});

const AWKS = [
  ['/usr/bin/gawk'],
  ['/usr/bin/mawk'],
  ['/usr/bin/original-awk'],
  ['/usr/bin/awk'],
  ['/bin/busybox', 'awk'],
].filter(([path = '', ...words]) => spawnSync(path, [...words, 'BEGIN {}']).status === 0);

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-awk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Tells whether a program writes a file or says the word that only a program it started would say. */
const acts = (program: string, [path = '', ...words]: readonly string[]): boolean => {
  const { stdout } = spawnSync(path, [...words, program, 'in.txt'], {
    cwd: folder,
    timeout: 2_000,
    encoding: 'utf8',
  });
  const isHarmless = readdirSync(folder).length === 1 && !/^RAN$/m.test(stdout);
  if (isHarmless) return false;
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  writeFileSync(join(folder, 'in.txt'), 'a 1 b\n"c 2\n');
  return true;
};

const RUNS = process.env.GUARANTEE_SIZE === 'full' ? 1_500 : 150;
const piece = fc.constantFrom(
  ...['print', 'printf', 'print ', ' print $1 ', '{', '}', '(', ')', ';', '\n', ' ', ',', '>'],
  ...['> "f"', '>"f"', '>f', '>> "f"', '>= "f"', '| "echo RAN"', '|"sh"', '||', '&&', '!', '~'],
  ...['"', '"a"', '"\\""', '"\\\\"', '/', '/a/', '/"/', '/[/]/', '/\\//', '/a|b/', '/=/', '#'],
  ...['# "', '\\', '1', 'x', 'f = "f";', 'x[1]', '?', ':', 'system("echo RAN")', '1system(c)'],
  ...['c = "echo RAN";', 'if (1)', 'for (;;', 'else', 'BEGIN', 'NR > 1', '$1', 'length', '=', '/x'],
  ...['"x" > "f"', ' in ', 'do ', 'while (0)', 'function g(a)', '[', ']', '-', '%', 'a, '],
);
const program = fc.oneof(
  fc.array(piece, { maxLength: 9 }).map((parts) => `BEGIN { f = "f"; ${parts.join('')} }`),
  fc.array(piece, { maxLength: 9 }).map((parts) => `{ ${parts.join('')} }`),
  fc.array(piece, { maxLength: 10 }).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom(...HOSTILE, ...BENIGN), piece, fc.nat(80)).map(
    // A hostile or benign program with something put into it.
    ([text, part, at]) => text.slice(0, at) + part + text.slice(at),
  ),
);

describe.skipIf(AWKS.length === 0)('by effect, in each awk of this machine', () => {
  it('threat: a program that is judged harmless writes no file and runs nothing', () => {
    writeFileSync(join(folder, 'in.txt'), 'a 1 b\n"c 2\n');
    fc.assert(
      fc.property(program, (text) => {
        // What has none of these could do nothing, and there is much of it.
        fc.pre(/[>|]|system/.test(text) && onlyPrints(text));
        return AWKS.every((awk) => !acts(text, awk));
      }),
      { numRuns: RUNS, maxSkipsPerRun: 1_000 },
    );
  }, 120_000);

  it('the canary sees what writes a file, and what runs a program', () => {
    for (const awk of AWKS) {
      expect(acts('BEGIN { print "x" > "f" }', awk)).toBe(true);
      expect(acts('BEGIN { x = 1system("echo RAN") }', awk)).toBe(true);
      expect(acts('BEGIN { print "\\"" > "f" } # "', awk)).toBe(true);
      expect(acts('{ print $1 }', awk)).toBe(false);
    }
  });
});
