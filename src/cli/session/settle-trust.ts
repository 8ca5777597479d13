/** Asks once whether the current project is trusted, and prints what is left out if it is not. */
import { readLines } from '../../approvers/terminal/line-reader.ts';
import { formatProblem } from '../../config/config-error.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import type { LoadedConfig } from '../../trust/load-config.ts';
import type { ProjectTrust } from '../../trust/project-trust.ts';
import { canAsk } from '../input/confirm.ts';
import { type Io, note, warn } from '../io.ts';
import { trustPage } from '../output/trust-page.ts';

/** Asks for yes or no; `undefined` when the input ended instead. */
export const askLine = async (io: Io, question: string): Promise<boolean | undefined> => {
  const reader = readLines(io.stdin);
  // On a line of its own, so that a progress line does not overwrite it.
  note(io, question);
  try {
    const line = await reader.next();
    return line === undefined ? undefined : /^y(es)?$/i.test(line.trim());
  } finally {
    reader.stop();
  }
};

export const askForTrust = (io: Io): Promise<boolean | undefined> =>
  askLine(io, 'Trust this project, as it is now? y = yes · n = no');

const isOpen = ({ state, refused, insisted, problems }: ProjectTrust): boolean =>
  (state === 'untrusted' || state === 'changed') && !refused && !insisted && problems.length === 0;

/** Asks for trust where it is undecided and a person can be asked. */
export const settleTrust = async (io: Io): Promise<void> => {
  // Most calls have no terminal; they skip reading the project here.
  if (io.json || io.env.TOOLCRIB_CONFIG || io.stderr.isTTY !== true) return;
  const { readProjectTrust, trustProject, refuseProject } = await import(
    '../../trust/project-trust.ts'
  );
  const trust = await readProjectTrust(io);
  const { folder } = trust;
  if (!isOpen(trust) || !folder || !canAsk(io)) return;
  const { previewProject } = await import('../../trust/load-config.ts');
  const preview = await previewProject(io, trust).catch(() => undefined);
  // An invalid project is not asked about; `toolcrib trust` explains what is wrong.
  if (!preview) return;
  note(io, '', ...trustPage(trust, preview), '');
  const answer = await askForTrust(io);
  const decision = { userDir: preview.userDir, now: io.runtime.now() };
  if (answer === undefined) return;
  // An answer that cannot be stored must not stop the command; the project stays untrusted.
  await (answer ? trustProject : refuseProject)(folder, decision).catch((error: Error) => {
    warn(io, visibleText(error.message));
  });
};

/** Describes why a project is not trusted in its present state. */
export const stateLine = ({ state, projectDir, changed = [] }: ProjectTrust): string => {
  const project = visibleText(projectDir ?? '');
  if (state === 'untrusted') return `${project} is not trusted, so its configuration is ignored.`;
  const files = changed.map(visibleText).join(', ');
  return `${project} has changed since you trusted it (${files}). What you trusted stays in force; what changed is not used.`;
};

/** Lists notes: one for an untrusted project, one for each setting that was narrowed. */
export const trustNotes = ({ trust, narrowed }: LoadedConfig): readonly string[] => {
  const isIgnored = trust.state === 'untrusted' || trust.state === 'changed';
  return [
    ...(isIgnored ? [`${stateLine(trust)} Run \`toolcrib trust\` to look at it and decide.`] : []),
    ...(isIgnored ? trust.problems.map((problem) => visibleText(formatProblem(problem))) : []),
    ...(trust.hidden === undefined
      ? []
      : [
          `${visibleText(trust.hidden)} is not trusted, so the project around it counts. Run \`toolcrib trust\` to decide.`,
        ]),
    ...narrowed.map(({ path, origin, message }) => visibleText(`${origin}: ${path}: ${message}`)),
  ];
};
