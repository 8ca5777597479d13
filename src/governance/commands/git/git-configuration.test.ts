import { expect, it } from 'vitest';
import { findProgramSetting } from './git-configuration.ts';

it.each([
  ['[include]\n\tpath = x', 'include'],
  ['[includeIf "gitdir:/a/"] path = x', 'includeif'],
  ['[FILTER "lfs"]\n\tclean = x', 'filter'],
  ['[diff "a"]\n\ttextConv = x', 'diff.textconv'],
  ['[diff.a] command = x', 'diff.command'],
  ['[merge "a"]\r\n\tdriver = x', 'merge.driver'],
  ['[core]\n\tbare = fal\\\nse\n\talternateRefsCommand = x', 'core.alternaterefscommand'],
])('threat: the configuration %j is found to make git run a program', (text, setting) => {
  expect(findProgramSetting(text)).toBe(setting);
});

it.each(['', 'external = x', '[core]\n\tbare = false', '[diff]\n\talgorithm = x', '[diff]\n; x'])(
  'the configuration %j makes git run nothing',
  (text) => {
    expect(findProgramSetting(text)).toBeUndefined();
  },
);
