/** The folder of a project's custom tools, and whether its files are trusted. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ToolFailure } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { isInsideProject } from '../../../trust/inside-project.ts';
import type { OpenCrib } from '../../session/open-crib.ts';

/** Returns the absolute path of the folder. */
export const customFolder = ({ loaded, root }: Pick<OpenCrib, 'loaded' | 'root'>): string =>
  resolve(root, loaded.config.registry.path);

/** Returns the path relative to a folder, with forward slashes; `undefined` for a file elsewhere. */
export const pathBelow = (folder: string, file: string): string | undefined => {
  const path = relative(folder, file);
  const isOutside = path === '' || isAbsolute(path) || path.split(sep)[0] === '..';
  return isOutside ? undefined : path.split(sep).join('/');
};

/** Returns the path relative to `.toolcrib`, by which files are trusted; `undefined` outside of it. */
export const pathInProject = (root: string, file: string): string | undefined =>
  pathBelow(join(root, '.toolcrib'), file);

/** Refuses a project that is not trusted: its tools are off. */
export const assertProjectTrusted = ({ loaded }: Pick<OpenCrib, 'loaded'>): void => {
  const { state, problems } = loaded.trust;
  if (state === 'none' || state === 'trusted') return;
  if (state === 'changed' && problems.length === 0) return;
  throw new ToolFailure('PERMISSION_DENIED', 'This project is not trusted, so its tools are off.', {
    suggestions: ['Look at what is in .toolcrib and decide: toolcrib trust'],
  });
};

/** Throws for a file of the project that is new or has changed since the project was trusted. */
export const assertFileTrusted = (
  { loaded, root }: Pick<OpenCrib, 'loaded' | 'root'>,
  file: string,
): void => {
  const name = pathInProject(root, file);
  const { folder, inForce } = loaded.trust;
  if (name === undefined || !folder || folder.files[name] === inForce?.files[name]) return;
  throw new ToolFailure('PERMISSION_DENIED', 'This file is not trusted as it is now.', {
    suggestions: [
      'Look at what has changed and decide: toolcrib trust',
      'While you write a tool: toolcrib trust --watch',
    ],
  });
};

/** Refuses a folder behind a link: a cloned one could lead out of the project. */
export const assertNoLinkTo = async (root: string, file: string): Promise<void> => {
  if (await isInsideProject(file, { projectDir: root, inside: ['.'] })) return;
  throw new ToolFailure('PERMISSION_DENIED', 'The folder of custom tools is behind a link.', {
    suggestions: ['Put the folder itself into the project.'],
  });
};

const TOOL_FILE = /\.(?:ya?ml|m?ts)$/i;
/** No tool file is larger. */
const MAX_BYTES = 1024 * 1024;
const NAME_FIELD = /^name:[ \t]*["']?([\w.:-]+)["']?[ \t]*(?:#.*)?$/m;

const namesIn = async (file: string): Promise<readonly string[]> => {
  const own = basename(file).replace(TOOL_FILE, '');
  if (!/\.ya?ml$/i.test(file)) return [own];
  const { size } = await stat(file);
  const text = size > MAX_BYTES ? '' : await readFile(file, 'utf8');
  return [own, NAME_FIELD.exec(text)?.[1] ?? own];
};

/** Finds the file of the folder that is called like a tool or names it, whether it was loaded or not. */
export const fileOfTool = async (
  open: Pick<OpenCrib, 'loaded' | 'root'>,
  tool: string,
): Promise<string | undefined> => {
  const folder = customFolder(open);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  // No links: one of a cloned project could lead to a device, which has no end.
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  for (const name of names.filter((each) => TOOL_FILE.test(each)).toSorted()) {
    const file = join(folder, name);
    if ((await namesIn(file).catch((): readonly string[] => [])).includes(tool)) return file;
  }
  return undefined;
};

/** Makes the error of a file that is there, and of which no tool was loaded. */
export const notLoaded = (code: 'NOT_FOUND' | 'TOOL_NOT_FOUND', file: string): ToolFailure =>
  new ToolFailure(code, `No tool was loaded from the file ${visibleText(basename(file))}.`, {
    suggestions: [
      'Its faults are in the warnings of this command, with line and column.',
      'Check that the file exists, and that tools.autoLoadCustomTools is on.',
    ],
  });
