/** The rules of the public interface, each with a clean and a broken fixture. */
import { describe, expect, it } from 'vitest';
import { checkExamples } from './check-examples.ts';
import { checkPublicTypes, exportsOf } from './check-public-types.ts';
import type { SourceText } from './source-text.ts';

/** Files by path. */
const tree = (files: Record<string, string>): readonly SourceText[] =>
  Object.entries(files).map(([path, text]) => ({ path, text }));

describe('public types', () => {
  const judge = (text: string, index = "export type { A } from './a.ts';") =>
    checkPublicTypes(
      tree({ 'src/index.ts': index, 'src/a.ts': text, 'src/b.ts': 'export interface B { c: 1 }' }),
      ['src/index.ts'],
    );
  const fromB = "import type { B } from './b.ts';\n";
  const missing = ['src/b.ts B is not exported, A mentions it'];

  it.each([
    ['a member', 'export interface A { readonly b: readonly B[] }'],
    ['a method', 'export interface A { run(b: B): void }'],
    ['a union', 'export type A = B | undefined;'],
    ['a function', 'export const A = (b: B) => b;'],
    ['a public method of a class', 'export class A { run(): B { return this.#b; } }'],
  ])('refuses to keep a type to itself that is mentioned by %s', (_, text) => {
    expect(judge(`${fromB}${text}`)).toEqual(missing);
    expect(
      judge(`${fromB}${text}`, "export * from './a.ts';\nexport { B } from './b.ts';"),
    ).toEqual([]);
  });

  it('judges what a base and a type of the file alone show, not their names', () => {
    expect(judge(`${fromB}export interface A extends B {}`)).toEqual([]);
    const hidden = 'interface Part { readonly b: B }\nexport interface A extends Part {}';
    expect(judge(`${fromB}${hidden}`)).toEqual(['src/b.ts B is not exported, Part mentions it']);
  });

  it('leaves bodies, private members and type parameters alone', () => {
    const text = 'export class A<B> { #b: B; run<C>(c: C) { const b: B = this.#b; return b; } }';
    expect(judge(text)).toEqual([]);
    expect(judge(`${fromB}export const A = (): void => { const b: B = { c: 1 }; };`)).toEqual([]);
  });
});

describe('examples', () => {
  const judge = (text: string, index = "export * from './a.ts';") => {
    const files = tree({ 'src/index.ts': index, 'src/a.ts': text });
    return checkExamples(files, exportsOf(files, ['src/index.ts']));
  };
  const EXAMPLE = '/**\n * Runs.\n *\n * @example\n * run();\n */\n';

  it.each([
    ['a function', 'export function run() {}', 'src/a.ts:1 run'],
    ['a constant', 'export const run = () => 1;', 'src/a.ts:1 run'],
    ['a class', 'export class Failure extends Error {}', 'src/a.ts:1 Failure'],
  ])('are asked of %s', (_, text, place) => {
    expect(judge(text)).toEqual([`${place} has no @example`]);
    expect(judge(`/** Runs. */\n${text}`)).toHaveLength(1);
    expect(judge(EXAMPLE + text)).toEqual([]);
  });

  it('are asked of each method of what programs are handed, once for its overloads', () => {
    const members =
      'run(a: string): void; run(a: number): void; readonly end?: (() => void) | undefined;';
    expect(judge(`export interface CribParts { ${members} readonly size: number }`)).toEqual([
      'src/a.ts:1 CribParts.run has no @example',
      'src/a.ts:1 CribParts.run has no @example',
      'src/a.ts:1 CribParts.end has no @example',
    ]);
    expect(
      judge(`export interface Memory {\n${EXAMPLE} run(a: string): void; run(a: number): void }`),
    ).toEqual([]);
  });

  it('are not asked of ports, of what is not exported, and of types', () => {
    expect(judge('export interface Queue { add(): void }')).toEqual([]);
    expect(judge('const run = () => 1;\ninterface CribParts { run(): void }')).toEqual([]);
    const type = "export type { Stream } from './a.ts';";
    expect(judge('export class Stream { run() {} }', type)).toEqual([]);
  });
});
