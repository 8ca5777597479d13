/**
 * Judge by effect: commands made from a grammar of good and bad pieces, and those the guard accepts
 * really run by bash among tracers. Nothing may start that the guard would not accept by itself,
 * and nothing outside the root may change.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCommandGuard } from './command-guard.ts';

const RUNS = process.env.GUARANTEE_SIZE === 'full' ? 20_000 : 600;
const BASH = ['/bin/bash', '/usr/bin/bash'].find(existsSync);

const place = realpathSync(mkdtempSync(join(tmpdir(), 'command-guard-')));
const root = join(place, 'root');
const bin = join(place, 'bin');
const outside = join(place, 'outside');
const log = join(place, 'log');

/** Programs that exist for the shell; only the first few are on the allowlist. */
const GOOD = ['ls', 'cat', 'git', 'sort', 'wc'];
const BAD = ['id', 'evil', 'sh', 'bash', 'rm', 'node', 'a', 'x', 'x.txt', 'sudo', 'touch'];
const ALLOW = ['ls *', 'cat *', 'git status', 'git log *', 'sort *', 'wc *', 'echo *', 'cd *'];
const guard = createCommandGuard({
  allow: [...ALLOW, 'true', 'false', 'printf *', '[ *', 'test *'],
  root,
});

/** A tracer only writes down how it was called, one line a call, words between unit separators. */
const tracer = (name: string) =>
  `#!/bin/sh\nline='${name}'\nfor word in "$@"; do line="$line\x1f$word"; done\nprintf '%s\\n' "$line" >> '${log}'\n`;

beforeAll(() => {
  for (const folder of [root, bin, outside, join(root, 'src')]) mkdirSync(folder);
  for (const name of [...GOOD, ...BAD]) {
    writeFileSync(join(bin, name), tracer(name));
    chmodSync(join(bin, name), 0o755);
  }
  for (const name of [
    'a.txt',
    'b.txt',
    '-o.txt',
    '--output=x.txt',
    'src/c.ts',
    'src/-x.ts',
    '.env',
  ]) {
    writeFileSync(join(root, name), '');
  }
  writeFileSync(join(outside, 'canary'), 'alive');
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Braces after a dollar sign, which would look like a mistake in a string here. */
const BRACED = ['{v}', '{v}x', '{v%.txt}', '{v@P}', '{!v}'].map((text) => `"$${text}"`);

const piece = fc.constantFrom(
  ...['a.txt', 'src', '-l', '-n', '--', 'b', '"a b"', "'x;y'", 'src/*.ts', './*.txt', '*', '*.txt'],
  ...['"$v"', '$v', ...BRACED, '"$?"', '$((1+1))', '$((v))', '~', '{a,b}'],
  ...[
    '"$(ls)"',
    '$(id)',
    '"$(id)"',
    '"`ls`"',
    '`id`',
    '<(ls)',
    '<(id)',
    '>(id)',
    'a<(ls)',
    '$HOME',
  ],
  ...[
    "$'a'",
    "$'\\x69d'",
    '$"x"',
    'a\\ b',
    '\\;',
    '\\',
    "''",
    '""',
    '"a\\"b"',
    "'",
    '"',
    '#x',
    'a#b',
  ],
  ...[
    '2',
    '=',
    'v=1',
    '"x$"',
    'x$',
    '[a]',
    '[',
    ']',
    '!',
    '?',
    '{',
    '}',
    '-ofile',
    '--output=x',
    'é',
  ],
  ...[
    '../outside/x',
    `${outside}/x`,
    '.env',
    '/etc/passwd',
    'HEAD~1',
    '@{1}',
    'id',
    ';',
    '|',
    '&',
    '\n',
  ],
);
const program = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...GOOD, 'echo', 'git status', 'git log', 'printf %s') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        ...BAD,
        'eval',
        'exec',
        'command',
        'i"d"',
        "l's'",
        '\\ls',
        '$v',
        'cd',
        'env ls',
        'time ls',
      ],
    ),
  },
);
const redirect = fc.constantFrom(
  ...['', '', '', '', '> out', '>> src/out', '2>&1', '2>/dev/null', '< a.txt', '&> out', '<<< x'],
  ...[
    '> ../outside/x',
    `> ${outside}/x`,
    '>| out',
    '<> out',
    '3> out',
    '>&out',
    "<<'E'\n$(id)\nE\n",
  ],
  ...['<<E\nid\nE\n', '<<-E\n\tid\n\tE\nid\n', '> "$v"', '{v}> out', '>&2', '<&0'],
);
const simple = fc
  .tuple(program, fc.array(piece, { maxLength: 3 }), redirect)
  .map(([name, words, to]) => [name, ...words, to].filter((word) => word !== '').join(' '));

const { command } = fc.letrec<{ command: string; compound: string }>((tie) => ({
  command: fc.oneof({ maxDepth: 3, withCrossShrink: true }, simple, tie('compound')),
  compound: fc
    .tuple(
      tie('command'),
      tie('command'),
      fc.constantFrom<(a: string, b: string) => string>(
        ...[
          (a: string, b: string) => `${a} | ${b}`,
          (a: string, b: string) => `${a} && ${b}`,
          (a: string, b: string) => `${a} || ${b}`,
          (a: string, b: string) => `${a}; ${b}`,
          (a: string, b: string) => `${a}\n${b}`,
          (a: string, b: string) => `(${a}); ${b}`,
          (a: string, b: string) => `{ ${a}\n}; ${b}`,
          (a: string, b: string) => `if ${a}\nthen ${b}\nfi`,
          (a: string, b: string) => `for v in a.txt "b c"; do ${a}\ndone; ${b}`,
          (a: string, b: string) => `for v in 1 2; do ${a}\n${b}\ndone > out`,
          (a: string, b: string) => `case a in b) ${a} ;; *) ${b} ;; esac`,
          (a: string, b: string) => `v=a.txt; ${a}; ${b}`,
          (a: string, b: string) => `v="$(${a})"; ${b}`,
          (a: string, b: string) => `echo "$(${a})" "${b}"`,
          (a: string, b: string) => `[[ -n "$(${a})" ]] && ${b}`,
          (a: string, b: string) => `! ${a}; ${b} # ${a}`,
          (a: string, b: string) => `while false; do ${a}\ndone; ${b}`,
          (a: string, b: string) => `cd src && ${a}; ${b}`,
          (a: string, b: string) => `CI=1 ${a}; ${b}`,
          (a: string, b: string) => `cat <(${a}); ${b}`,
        ],
      ),
    )
    .map(([a, b, join]) => join(a, b)),
}));

/** What the tracers saw. A word with a newline would break a line and so be noticed. */
const run = (text: string): readonly string[][] => {
  rmSync(log, { force: true });
  spawnSync(BASH as string, ['--norc', '--noprofile', '-c', text], {
    cwd: root,
    env: { PATH: bin },
    input: '',
    timeout: 10_000,
  });
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8').replace(/\n$/, '').split('\n');
  return lines.map((line) => line.split('\x1f'));
};

/** The paths of process substitutions are the shell's own. */
const withoutStreams = (argv: readonly string[]) =>
  argv.filter((word) => !/^\/dev\/fd\/\d+$/.test(word));

const TITLE = 'threat: shell, accepted commands under a tracer';
const REASON = BASH === undefined ? ' (skipped: there is no bash on this machine)' : '';

describe.skipIf(BASH === undefined)(`${TITLE}${REASON}`, () => {
  it('start nothing that is not allowed and write nothing outside of the root', () => {
    let ran = 0;
    let started = 0;
    fc.assert(
      fc.property(command, (text) => {
        if (!guard.judge(text).ok) return;
        ran += 1;
        for (const argv of run(text)) {
          started += 1;
          expect(guard.judge(withoutStreams(argv)), `${text} → ${argv.join(' ')}`).toMatchObject({
            ok: true,
          });
        }
        expect(readdirSync(outside)).toEqual(['canary']);
        // A tracer of a process substitution may write its line only now.
        const beside = readdirSync(place).filter((name) => name !== 'log');
        expect(beside.sort()).toEqual(['bin', 'outside', 'root']);
      }),
      { numRuns: RUNS },
    );
    // A guard that refuses everything would prove nothing.
    expect(ran).toBeGreaterThan(RUNS / 50);
    expect(started).toBeGreaterThan(RUNS / 50);
  }, 600_000);

  it('would notice a command that is not allowed', () => {
    expect(run('ls "$(id -u)"; echo x | evil')).toEqual([['id', '-u'], ['ls', ''], ['evil']]);
  });
});
