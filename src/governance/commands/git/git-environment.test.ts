import { expect, it } from 'vitest';
import {
  findProgramSetting,
  findTrustSetting,
  gitEnvironment,
  withGitHeader,
  withoutGitVariables,
} from './git-environment.ts';

it('threat: a tool that sets variables of git changes neither the repository nor a program', () => {
  const variables = {
    GIT_DIR: '/evil',
    git_ssh_command: 'evil',
    GIT_AUTHOR_NAME_X: 'evil',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_COMMITTER_DATE: '2026-01-01',
    LANG: 'C',
  };
  expect(withoutGitVariables(variables)).toEqual({
    GIT_AUTHOR_NAME: 'Ada',
    GIT_COMMITTER_DATE: '2026-01-01',
    LANG: 'C',
  });
});

it('a tool that sets no variables leaves none', () => {
  expect(withoutGitVariables()).toEqual({});
  expect(withoutGitVariables(undefined)).toEqual({});
});

it('git gets its repository and every setting as numbered pairs of variables', () => {
  const environment = gitEnvironment({ gitDir: '/r/.git', workTree: '/r' });
  expect(environment).toMatchObject({ GIT_DIR: '/r/.git', GIT_WORK_TREE: '/r' });
  const settings = Array.from({ length: Number(environment.GIT_CONFIG_COUNT) }, (_, index) => [
    environment[`GIT_CONFIG_KEY_${index}`],
    environment[`GIT_CONFIG_VALUE_${index}`],
  ]);
  expect(settings).toContainEqual(['safe.directory', '/r']);
  expect(settings).toContainEqual(['core.hooksPath', '/dev/null']);
  expect(settings.flat()).not.toContain(undefined);
});

it.each([
  ['[include]\n\tpath = x', 'include'],
  ['[includeIf "gitdir:/a/"] path = x', 'includeif'],
  ['[FILTER "lfs"]\n\tclean = x', 'filter'],
  ['[diff "a"]\n\ttextConv = x', 'diff.textconv'],
  ['[diff.a] command = x', 'diff.command'],
  ['[merge "a"]\r\n\tdriver = x', 'merge.driver'],
  ['[core]\n\tbare = fal\\\nse\n\talternateRefsCommand = x', 'core.alternaterefscommand'],
  // A backslash at the end of a comment continues nothing.
  ['# note \\\n[filter "x"]\n\tclean = x', 'filter'],
  ['[core]\n\tbare = false ; note \\\n[filter "x"]', 'filter'],
  ['[core]\n\tbare = false\n\tx = "a#b" # \\\n[filter "x"]', 'filter'],
  // Any blank of git separates, and sections may share a line.
  ['[filter\r"x"]\n\tclean = x', 'filter'],
  ['[core][filter "x"]\n\tclean = x', 'filter'],
  ['[core] [core "a"]\r[diff "x"] command = x', 'diff.command'],
  ['[filter "x"] # \u2028 note', 'filter'],
  ['[filter "a\\\u2028]"]\n\tclean = x', 'filter'],
  ['\uFEFF[filter "x"]', 'filter'],
  // Git refuses these.
  ['[filter\n"x"]', 'unreadable'],
  ['[core "x"', 'unreadable'],
  ['[core "a\nb"]', 'unreadable'],
  ['[core "x" ]', 'unreadable'],
  ['[core x]', 'unreadable'],
  ['[co+re]', 'unreadable'],
  ['[core]\n\tbare : x', 'unreadable'],
  ['[core]\n\tbare = "x\n', 'unreadable'],
  ['[core]\n\t= x', 'unreadable'],
])('threat: the configuration %j is found to make git run a program', (text, setting) => {
  expect(findProgramSetting(text)).toBe(setting);
});

it.each([
  ...['', 'external = x', '[core]\n\tbare = false', '[diff]\n\talgorithm = x', '[diff]\n; x'],
  '# [filter "x"]\n[core]\r\n\tbare\r\n\tx = "a\\"[filter]" \\\n[filter "x"]\n',
  '[remote "origin"] url = https://git.example.org/a.git # [include]\n[diff] # external = x',
  '[branch "a\\"]b"]\n\tmerge = refs/heads/main',
])('the configuration %j makes git run nothing', (text) => {
  expect(findProgramSetting(text)).toBeUndefined();
});
it('a header is one more setting, for its origin alone', () => {
  const header = { origin: 'https://git.example.org', header: 'authorization: x' };
  const before = gitEnvironment({ gitDir: '/r/.git', workTree: '/r' });
  const count = Number(before.GIT_CONFIG_COUNT);
  expect(withGitHeader(before, header)).toEqual({
    ...before,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'http.https://git.example.org/.extraHeader',
    [`GIT_CONFIG_VALUE_${count}`]: 'authorization: x',
  });
  expect(withGitHeader({}, header).GIT_CONFIG_COUNT).toBe('1');
});

it.each([
  ['[http]\n\tsslVerify = false', 'http.sslverify'],
  ['[http "https://git.example.org/team"]\n\tsslVerify = false', 'http.sslverify'],
  ['[HTTP] proxy = http://127.0.0.1:1', 'http.proxy'],
])('threat: the configuration %j is found to choose which hosts count', (text, setting) => {
  expect(findTrustSetting(text)).toBe(setting);
});

it.each(['', '[http]\n\tsslCAInfo = x.pem', '[core]\n\tsslVerify = false'])(
  'the configuration %j leaves the check of hosts alone',
  (text) => {
    expect(findTrustSetting(text)).toBeUndefined();
  },
);
