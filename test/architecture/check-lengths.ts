/** Files stay short enough to be read, folders to be listed: 400 lines of source, 500 of tests, 25 files. */
import { isTest, type Problems, type SourceText } from './source-text.ts';

const MAX_SOURCE_LINES = 400;
const MAX_TEST_LINES = 500;
const LOOK_AGAIN = 250;

const linesOf = ({ text }: SourceText): number => text.replace(/\n$/, '').split('\n').length;

/** Whatever lies below test/ counts as a test. */
const limitOf = ({ path }: SourceText): number =>
  isTest(path) || path.startsWith('test/') ? MAX_TEST_LINES : MAX_SOURCE_LINES;

export const checkLengths = (files: readonly SourceText[]): Problems =>
  files
    .filter((file) => linesOf(file) > limitOf(file))
    .map((file) => `${file.path} has ${linesOf(file)} lines, ${limitOf(file)} are allowed`);

/** Sources that still pass and deserve a second look. */
export const longFiles = (files: readonly SourceText[]): Problems =>
  files
    .filter((file) => limitOf(file) === MAX_SOURCE_LINES && linesOf(file) > LOOK_AGAIN)
    .map((file) => `${file.path} ${linesOf(file)}`);

const MAX_FOLDER_FILES = 25;
/** Holds the words of the whole project, a topic a file. */
const LARGE_FOLDERS = new Set(['src/contract']);

/** Folders with more sources than one takes in at a glance; tests are not counted. */
export const checkFolders = (files: readonly SourceText[]): Problems => {
  const sizes = new Map<string, number>();
  for (const { path } of files) {
    if (isTest(path)) continue;
    const folder = path.slice(0, path.lastIndexOf('/'));
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return [...sizes]
    .filter(([folder, size]) => size > MAX_FOLDER_FILES && !LARGE_FOLDERS.has(folder))
    .map(([folder, size]) => `${folder} has ${size} files, ${MAX_FOLDER_FILES} are allowed`);
};
