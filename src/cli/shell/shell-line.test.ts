import { describe, expect, it } from 'vitest';
import { isOpenLine, readShellLine, splitWords } from './shell-line.ts';

const isTool = (name: string): boolean => name === 'git' || name === 'read_file';

describe('readShellLine', () => {
  it.each([
    ['git', 'git', []],
    ['git action=log', 'git', ['action=log']],
    [`read_file path='a b.txt' --dry-run`, 'read_file', ['path=a b.txt', '--dry-run']],
    ['read_file {"path": "it\'s"}', 'read_file', ['{"path": "it\'s"}']],
    ['read_file {"path": "a"} --dry-run -q', 'read_file', ['{"path": "a"}', '--dry-run', '-q']],
    ['read_file {"path": "x} -b"}', 'read_file', ['{"path": "x} -b"}']],
    ['read_file {"path": }', 'read_file', ['{"path": }']],
    ['nobody x=1', 'nobody', ['x=1']],
    ['nobody {"x": 1}', 'nobody', ['{"x": 1}']],
    ['toolcrib run git action=log', 'git', ['action=log']],
    ['git action=log oops', 'git', ['action=log', 'oops']],
  ])('%s is a call', (text, tool, args) => {
    expect(readShellLine(text, isTool)).toEqual({ kind: 'call', tool, args });
  });

  it.each([
    ['/tools info "read file"', ['tools', 'info', 'read file']],
    ['toolcrib tools info git', ['tools', 'info', 'git']],
    ['/', []],
  ])('%s is a command', (text, words) => {
    expect(readShellLine(text, isTool)).toEqual({ kind: 'command', words });
  });

  it.each([
    'git action="log',
    'read_file path=a \\',
    "read_file path='a",
    '/tools info "read',
    "toolcrib tools info it's",
  ])('%s is not closed', (text) => {
    expect(readShellLine(text, isTool)).toEqual({ kind: 'unclosed' });
  });

  it.each([
    "git isn't it",
    "what's in here?",
    'git is a tool, is it not?',
    'read_file the notes',
    'I {mean} it',
    'hello',
    'x = y',
  ])('%s is talk', (text) => {
    expect(readShellLine(text, isTool)).toEqual({ kind: 'talk', text });
  });

  it.each(['', '   ', '# x'])('%j is nothing', (text) => {
    expect(readShellLine(text, isTool)).toEqual({ kind: 'nothing' });
  });
});

describe('isOpenLine', () => {
  it.each([
    'anything \\',
    'read_file {"path":',
    'read_file {"path": "a',
    'read_file {"a": [1, {"b": 2}]',
    `read_file path='a`,
    `/tools search "read`,
  ])('%j goes on', (text) => {
    expect(isOpenLine(text, isTool)).toBe(true);
  });

  it.each([
    "what's this",
    'anything \\\\',
    'read_file {"path": "{"}',
    'read_file {"path": "\\""}',
    'nobody {"x":',
    `git "is`,
    'read_file path=a',
    '',
  ])('%j is whole', (text) => {
    expect(isOpenLine(text, isTool)).toBe(false);
  });
});

describe('splitWords', () => {
  it.each([
    ['', []],
    ['  a   b\tc ', ['a', 'b', 'c']],
    [`a='b c' "d  e"f`, ['a=b c', 'd  ef']],
    [`'' ""`, ['', '']],
    ['a\\ b \\"c', ['a b', '"c']],
    [`"a\\"b\\n" 'a\\b'`, ['a"b\\n', 'a\\b']],
    ['a \\\nb', ['a', 'b']],
    ["'a\nb'", ['a\nb']],
    ['$HOME `id` $(id) a;b|c>d*', ['$HOME', '`id`', '$(id)', 'a;b|c>d*']],
  ])('splits %j into words', (text, words) => {
    expect(splitWords(text)).toEqual({ words, open: false });
  });

  it.each([["a 'b"], ['a "b'], ['a \\'], [`"a\\"`]])('%j goes on', (text) => {
    expect(splitWords(text).open).toBe(true);
  });
});
