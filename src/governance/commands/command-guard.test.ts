import { describe, expect, it } from 'vitest';
import { READ_ONLY_COMMANDS } from '../../../test/fixtures/read-only-commands.ts';
import { createCommandGuard } from './command-guard.ts';

const guard = createCommandGuard({
  allow: [...READ_ONLY_COMMANDS, 'tee *', 'npm test', 'bash', 'node', 'bash scripts/ci.sh'],
  root: '/repo',
});

describe('the verdict of the command guard', () => {
  it('lists every program call and every path', () => {
    expect(guard.judge('cat a.txt | sort > out.txt; echo "$(git status)"')).toEqual({
      ok: true,
      commands: [['cat', 'a.txt'], ['sort'], ['git', 'status'], ['echo', '"$(git status)"']],
      reads: ['/repo/a.txt'],
      writes: ['/repo/out.txt'],
      folders: ['/repo'],
    });
  });

  it('lists a command of a loop once for each value', () => {
    const verdict = guard.judge('for f in a.txt b.txt; do cat "$f"; done');
    expect(verdict).toMatchObject({
      commands: [
        ['cat', 'a.txt'],
        ['cat', 'b.txt'],
      ],
    });
  });

  it('judges paths from both folders after cd', () => {
    expect(guard.judge('cd src && cat a.ts')).toMatchObject({
      reads: ['/repo/src', '/repo/src/src', '/repo/a.ts', '/repo/src/a.ts'],
    });
  });

  it('takes a program and its arguments without a shell', () => {
    expect(guard.judge(['echo', '$(id)'])).toMatchObject({
      ok: true,
      commands: [['echo', '$(id)']],
    });
    expect(guard.judge(['tee', '/dev/null'])).toMatchObject({ ok: true, writes: [] });
  });

  it('says why not and what to do, and names no argument', () => {
    expect(guard.judge('rm -rf /')).toEqual({
      ok: false,
      reason: 'The command is not on the allowlist.',
      remedy:
        'Use an allowed command, or have it put on the list: commands.allow or commands.tasks in your own configuration (toolcrib init --tasks adds those of the folder; docs/commands.md).',
    });
  });

  it('threat: a command that is neither text nor a list is refused', () => {
    for (const odd of [undefined, null, 7, {}, [7], ['ls', undefined], [['ls']]]) {
      expect(guard.judge(odd as never).ok).toBe(false);
    }
  });

  it('threat: a program that reads code from its input needs a file, even when allowed', () => {
    expect(guard.judge('bash').ok).toBe(false);
    expect(guard.judge('echo 1 | node').ok).toBe(false);
    expect(guard.judge('bash scripts/ci.sh').ok).toBe(true);
  });

  it('says which command of a line is refused, and its program only when it is a plain word', () => {
    const reasonOf = (command: string) => {
      const verdict = guard.judge(command);
      return verdict.ok ? 'allowed' : verdict.reason;
    };
    expect(reasonOf('ls; rm a')).toMatch(/^Command 2 of 2 \(rm\): /);
    expect(reasonOf('ls; "r m" a')).toMatch(/^Command 2 of 2: /);
    expect(reasonOf('ls; "$(ls)" a')).toMatch(/^Command 3 of 3: /);
  });

  it('refuses an empty list', () => {
    expect(guard.judge([])).toMatchObject({
      ok: false,
      reason: 'The name of a program is not known or not plain.',
    });
  });

  it('judges paths from the folder it starts in, which must lie below the root', () => {
    expect(guard.judge('cat a.ts', '/repo/src')).toMatchObject({
      ok: true,
      reads: ['/repo/src/a.ts'],
    });
    expect(guard.judge('cat a.ts', '/etc').ok).toBe(false);
  });

  it('refuses everything when nothing is allowed', () => {
    const strict = createCommandGuard({ allow: [], root: '/repo' });
    for (const command of ['ls', 'true', 'echo', 'cd src', 'env ls']) {
      expect(strict.judge(command).ok).toBe(false);
    }
  });
});

describe('the options of the command guard', () => {
  it('threat: a link that leads out is refused', () => {
    const linked = createCommandGuard({
      allow: ['cat *', 'tee *'],
      root: '/repo',
      followLinks: (path) => path.replace('/repo/link', '/etc').replace('/repo/hook', '/repo/.git'),
    });
    expect(linked.judge('cat link/hosts').ok).toBe(false);
    expect(linked.judge('tee hook/config').ok).toBe(false);
    expect(linked.judge('cat plain/hosts').ok).toBe(true);
  });

  it('protects more names on request', () => {
    const more = createCommandGuard({
      allow: ['tee *'],
      root: '/repo',
      protectedNames: ['.house'],
    });
    expect(more.judge('tee .house/rules').ok).toBe(false);
    expect(guard.judge('tee .house/rules').ok).toBe(true);
  });

  it('threat: devices are out of reach even below a root that holds them', () => {
    const whole = createCommandGuard({ allow: ['cat *'], root: '/' });
    for (const path of ['/dev/tcp/127.0.0.1/80', '/proc/self/environ', '/sys/x', '/dev']) {
      expect(whole.judge(`cat ${path}`).ok).toBe(false);
    }
    expect(whole.judge('cat < /dev/null').ok).toBe(true);
    expect(whole.judge('cat /usr/share/x.txt').ok).toBe(true);
  });

  it('throws for a root that is not absolute', () => {
    expect(() => createCommandGuard({ allow: [], root: 'repo' })).toThrow('not absolute');
  });
});
