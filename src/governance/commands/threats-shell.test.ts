/** The class "Shell" of the threat list: every hostile command is refused, every benign one passes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { READ_ONLY_COMMANDS } from '../../../test/fixtures/read-only-commands.ts';
import { createCommandGuard } from './command-guard.ts';

type Command = string | readonly string[];

const load = (name: string): readonly (readonly [string, readonly Command[]])[] =>
  Object.entries(
    JSON.parse(readFileSync(new URL(`./threats/${name}.json`, import.meta.url), 'utf8')),
  );

const BENIGN = load('benign-commands');
const HOSTILE = [...load('hostile-parsing'), ...load('hostile-programs')];

/** Generous on purpose: the hostile commands must fail at the guard, not for want of a pattern. */
const ALLOW = [
  ...READ_ONLY_COMMANDS,
  ...[
    'git *',
    'git version',
    'npm test',
    'npm run *',
    'npm *',
    'yarn *',
    'pnpm *',
    'make test',
    'node scripts/*',
  ],
  ...['mkdir *', 'touch *', 'rm *', 'cp *', 'mv *', 'tee *', 'chmod *', 'truncate *', 'xxd *'],
  ...[
    'curl *',
    'mytool **',
    'node *',
    'python *',
    'python3 *',
    'perl **',
    'bash',
    'bash **',
    'sh *',
  ],
  ...['docker **', 'ssh **', 'vim *', 'npx **', 'make *', 'wget **', 'rsync **', 'dd **', 'ln **'],
  ...[
    'sudo ls',
    'sudo **',
    'eval **',
    'exec **',
    'read **',
    'find . -exec *',
    '/usr/bin/make all',
    'tool-1.2 run fast-*',
    'node --*',
    'git --*',
    'other *',
    '/usr/bin/env *',
    'lint *.ts',
    'nohup **',
    'watch **',
  ],
];

const guard = createCommandGuard({ allow: ALLOW, root: '/repo' });
const count = (groups: typeof BENIGN) => groups.reduce((sum, [, list]) => sum + list.length, 0);
const accepted = (commands: readonly Command[]) => commands.filter((c) => guard.judge(c).ok);

describe(`threat: shell, ${count(HOSTILE)} hostile and ${count(BENIGN)} benign commands`, () => {
  it('has enough of both', () => {
    expect(count(HOSTILE)).toBeGreaterThanOrEqual(250);
    expect(count(BENIGN)).toBeGreaterThanOrEqual(120);
  });

  it.each(HOSTILE)('refuses all of: %s', (_, commands) => {
    expect(accepted(commands)).toEqual([]);
  });

  it.each(BENIGN)('accepts all of: %s', (_, commands) => {
    const ok = accepted(commands);
    expect(commands.filter((command) => !ok.includes(command))).toEqual([]);
  });

  it('refuses by judgement, never because the judge itself failed', () => {
    const reasons = HOSTILE.flatMap(([, list]) => list).map((command) => guard.judge(command));
    expect(reasons.filter((v) => !v.ok && v.reason === 'The command could not be judged.')).toEqual(
      [],
    );
  });

  it('names no argument in a refusal', () => {
    const secret = 'hunter2-hunter2';
    for (const command of [`cat /etc/${secret}`, `ls --${secret}`, `${secret}`, `X=${secret} ls`]) {
      const verdict = guard.judge(command);
      expect(verdict.ok).toBe(false);
      expect(JSON.stringify(verdict)).not.toContain(secret);
    }
  });
});

describe('threat: shell, size and depth', () => {
  const LARGE: Readonly<Record<string, string>> = {
    substitutions: `echo ${'"$('.repeat(400)}ls${')"'.repeat(400)}`,
    'substitutions a little too deep': `echo ${'"$(echo '.repeat(60)}x${')"'.repeat(60)}`,
    groups: `${'{ '.repeat(900)}ls;${' }'.repeat(900)}`,
    subshells: `${'( '.repeat(60)}ls${' )'.repeat(60)}`,
    parentheses: '('.repeat(60_000),
    braces: `echo ${'{a,'.repeat(20_000)}`,
    'here-documents': `cat ${'<<E '.repeat(15_000)}`,
    backquotes: `echo ${'`'.repeat(60_000)}`,
    dollars: `echo ${'$'.repeat(60_000)}`,
    brackets: `echo ${'['.repeat(60_000)}]`,
    'brackets left open': `cat ${'['.repeat(5_000)} /etc/passwd`,
    backslashes: `echo ${'\\'.repeat(60_001)}`,
    conditions: `[[ ${'( '.repeat(30_000)}`,
    'too long': `echo ${'x'.repeat(70_000)}`,
    'a sed program': `sed '${'s/a/b/;'.repeat(9_000)}' x`,
    wrappers: `${'nice '.repeat(5_000)}ls`,
    'values that multiply': 'for a in 1 2 3 4 5 6 7 8 9; do echo "$a$a$a"; done',
    'words that multiply': 'for a in 1 2 3 4 5 6 7 8 9; do ls "$a" "$a" "$a"; done',
  };

  it.each(Object.entries(LARGE))('refuses %s in bounded time', (_, command) => {
    const start = process.hrtime.bigint();
    expect(guard.judge(command).ok).toBe(false);
    expect(Number(process.hrtime.bigint() - start) / 1e6).toBeLessThan(20_000);
  });

  it('accepts a command that is long but plain', () => {
    const many = Array.from({ length: 100 }, (_, index) => `n${index}`).join(' ');
    expect(guard.judge(`for n in ${many}; do echo "$n"; done`).ok).toBe(true);
    expect(guard.judge(`for n in ${many}; do cat "$n"; done`).ok).toBe(false);
    expect(guard.judge(`echo ${'word '.repeat(10_000)}`).ok).toBe(true);
    expect(guard.judge('ls|'.repeat(2_000).concat('ls')).ok).toBe(true);
    expect(guard.judge(`${'( '.repeat(20)}ls${' )'.repeat(20)}`).ok).toBe(true);
  });
});
