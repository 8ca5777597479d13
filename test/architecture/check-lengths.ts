/** Files stay short enough to be read: 400 lines of source, 500 of tests. */
import { isTest, type Problems, type SourceText } from './source-text.ts';

const SOURCE_LIMIT = 400;
const TEST_LIMIT = 500;
const LOOK_AGAIN = 250;

const linesOf = ({ text }: SourceText): number => text.replace(/\n$/, '').split('\n').length;

/** Whatever lies below test/ counts as a test. */
const limitOf = ({ path }: SourceText): number =>
  isTest(path) || path.startsWith('test/') ? TEST_LIMIT : SOURCE_LIMIT;

export const checkLengths = (files: readonly SourceText[]): Problems =>
  files
    .filter((file) => linesOf(file) > limitOf(file))
    .map((file) => `${file.path} has ${linesOf(file)} lines, ${limitOf(file)} are allowed`);

/** Sources that still pass and deserve a second look. */
export const longFiles = (files: readonly SourceText[]): Problems =>
  files
    .filter((file) => limitOf(file) === SOURCE_LIMIT && linesOf(file) > LOOK_AGAIN)
    .map((file) => `${file.path} ${linesOf(file)}`);
