/** The folder of a project's custom tools, and whether its files are trusted. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ToolFailure } from '../../../contract/errors.ts';
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
