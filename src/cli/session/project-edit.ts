/** What commands that edit a project's configuration share: checks before the edit, trust after it. */
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { type Io, type OpenCrib, warn } from '../io.ts';

type Project = Pick<OpenCrib, 'loaded' | 'root'>;

interface ProjectEdit {
  /** The path relative to `.toolcrib`. */
  readonly name: string;
  readonly before: string | undefined;
  readonly after: string;
}

/** Returns the path of the project's configuration file, whether it exists or not. */
export const projectFile = ({ loaded, root }: Project): string =>
  loaded.sources.find(({ kind }) => kind === 'project')?.path ??
  join(root, '.toolcrib', 'config.yml');

/** Refuses an untrusted project: its file is ignored, so an edit would have no effect. */
const assertTrusted = ({ loaded }: Project): void => {
  const { state } = loaded.trust;
  if (state === 'none' || state === 'trusted') return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'This project is not trusted, so nothing was changed.',
    { suggestions: ['Look at its configuration and decide: toolcrib trust'] },
  );
};

/** Refuses links: a cloned one could lead into the user's own configuration. */
const assertNoLink = async ({ root }: Project, file: string): Promise<void> => {
  const { isInsideProject } = await import('../../trust/inside-project.ts');
  if (await isInsideProject(file, { projectDir: root, inside: ['.toolcrib'] })) return;
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'The configuration of this project is behind a link.',
    { suggestions: ['Put the file itself into .toolcrib, or edit it by hand.'] },
  );
};

/** Fails with PERMISSION_DENIED when the project's configuration cannot be edited. */
export const assertProjectEditable = async (io: Io, project: Project): Promise<void> => {
  assertTrusted(project);
  if (!io.env.TOOLCRIB_CONFIG) await assertNoLink(project, projectFile(project));
};

/** Keeps a trusted project trusted after an edit that the user made with a command. */
export const keepTrust = async (
  io: Io,
  { loaded, root }: Project,
  edit: ProjectEdit,
): Promise<void> => {
  if (io.env.TOOLCRIB_CONFIG || loaded.trust.insisted) return;
  const { trustOwnEdit } = await import('../../trust/trust-own-edit.ts');
  const isTrusted = await trustOwnEdit(
    { cwd: root, env: io.env, userDir: loaded.userDir },
    { trust: loaded.trust, edit, now: io.runtime.now() },
  );
  if (isTrusted) return;
  const why = 'Something else in .toolcrib has changed as well, so it is not trusted any more.';
  warn(io, `${why} Look at it: toolcrib trust`);
};
