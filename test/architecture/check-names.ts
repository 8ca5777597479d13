/** Files are kebab-case, and no name says only that something did not find its place. */
import ts from 'typescript-api';
import { type Problems, parse, placeOf, type SourceText } from './source-text.ts';

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** Banned as any word of a name. */
const VAGUE = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'misc', 'manager']);
/** Banned as a whole name: `pipeline-types` says which, `types` does not. */
const BARE = new Set(['type', 'types', 'shared', 'lib', 'core', 'base']);

const checkPath = (path: string): Problems =>
  path
    .replace(/(\.test)?(\.d)?\.ts$/, '')
    .split('/')
    .flatMap((part) => {
      if (!KEBAB.test(part)) return [`${path}: "${part}" is not kebab-case`];
      const vague = BARE.has(part) || part.split('-').some((word) => VAGUE.has(word));
      return vague ? [`${path}: "${part}" says nothing`] : [];
    });

/** Classes and types called `SomethingManager`, and interfaces with an `I` before their name. */
const checkDeclarations = (source: SourceText): Problems => {
  const file = parse(source);
  return file.statements.flatMap((node) => {
    if (!ts.isClassDeclaration(node) && !ts.isInterfaceDeclaration(node)) return [];
    const name = node.name?.text ?? '';
    return /(Manager|Helper|Utils?)$/.test(name) || /^I[A-Z][a-z]/.test(name)
      ? [`${placeOf(file, node)} "${name}" says nothing`]
      : [];
  });
};

export const checkNames = (files: readonly SourceText[]): Problems =>
  files.flatMap((file) => [...checkPath(file.path), ...checkDeclarations(file)]);
