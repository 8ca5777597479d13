import { describe, expect, it } from 'vitest';
import { matchesPattern, neverWorks, parseAllowPattern } from './allow-pattern.ts';
import { staticToken } from './token.ts';

const matches = (pattern: string, ...argv: readonly string[]) =>
  matchesPattern(parseAllowPattern(pattern), argv.map(staticToken));

describe('patterns of the allowlist', () => {
  it.each([
    ['git status', 'git', 'status'],
    ['npm run test:*', 'npm', 'run', 'test:unit'],
    ['npm run *:*:fast', 'npm', 'run', 'a:b:fast'],
    ['node scripts/*.mjs', 'node', 'scripts/check.mjs'],
    ['git log *', 'git', 'log'],
    ['git log *', 'git', 'log', '-1', 'HEAD'],
    ['tool **', 'tool', '--any', 'thing'],
  ])('%s matches', (pattern, ...argv) => expect(matches(pattern, ...argv)).toBe(true));

  it.each([
    ['threat: prefix of a word', 'git status', 'git', 'statusx'],
    ['threat: prefix of a command', 'git status', 'git', 'status', '--evil'],
    ['threat: blank inside a word', 'git status', 'git status'],
    ['threat: too few words', 'npm run test:*', 'npm', 'run'],
    ['threat: wildcard over a slash', 'node scripts/*', 'node', 'scripts/a/b.mjs'],
    ['threat: wildcard upwards', 'node scripts/*', 'node', 'scripts/..'],
    ['threat: wildcard as option', 'lint *.ts', 'lint', '--fix.ts'],
    ['wrong start', 'npm run test:*', 'npm', 'run', 'build'],
    ['wrong middle', 'npm run a*b*c', 'npm', 'run', 'axxc'],
    ['wrong end', 'npm run a*b*c', 'npm', 'run', 'axbx'],
    ['start and end that overlap', 'npm run aba*aba', 'npm', 'run', 'aba'],
  ])('%s does not match', (_, pattern, ...argv) => {
    expect(matches(pattern, ...argv)).toBe(false);
  });

  it('threat: a word not known beforehand matches nothing', () => {
    const unknown = { text: 'status', kind: 'dynamic', head: 'status' } as const;
    expect(matchesPattern(parseAllowPattern('git status'), [staticToken('git'), unknown])).toBe(
      false,
    );
  });

  it.each(['', ' ', '*', '**', '* x', 'g*t status', 'git\tstatus', 'git st\u200batus'])(
    'refuses the pattern %j at the start',
    (pattern) => expect(() => parseAllowPattern(pattern)).toThrow('is not valid'),
  );
});

describe('neverWorks', () => {
  it.each([
    'node *',
    'make *',
    'pytest *',
    'npx prisma *',
    'docker build *',
    'vitest **',
    'node --*',
  ])('%s is found to let nothing through, with what to write instead', (pattern) =>
    expect(neverWorks(pattern)).toMatch(/can run other programs.*commands\.tasks/),
  );

  it.each([
    ['mytool *', /nothing is known about the arguments of mytool/],
    ['sudo ls', /another user/],
    ['eval **', /changes the shell/],
  ])('%s is found to let nothing through', (pattern, why) => {
    expect(neverWorks(pattern)).toMatch(why);
  });

  it.each(['git *', 'npm test', 'make test', 'npx vitest run', 'mytool **', 'ls *', 'tool fast-*'])(
    'has no objection to %s, which allows some commands',
    (pattern) => expect(neverWorks(pattern)).toBeUndefined(),
  );
});
