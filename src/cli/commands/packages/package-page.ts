/** Shows the content of a package to the person who decides about it. */
import type { InstallationReview, PackagedTool } from '../../../contract/packages.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note } from '../../io.ts';
import { counted } from '../../output/format-units.ts';

const listed = (label: string, values: readonly string[] | undefined): readonly string[] =>
  values?.length ? [`${label} ${values.join(', ')}`] : [];

/** Describes what a tool may reach. */
const needsText = ({ needs }: PackagedTool): string => {
  const paths = needs.paths?.map(({ path, access }) => `${path} (${access})`);
  const parts = [
    ...listed('files', paths),
    ...listed('hosts', needs.hosts),
    ...listed('programs', needs.commands),
    ...listed('secrets', needs.secrets),
    ...(needs.model ? ['the model'] : []),
  ];
  return parts.length === 0 ? 'reaches nothing outside' : parts.join('; ');
};

/** Prints what speaks against an installation to stderr. */
export const showWarnings = (io: Io, { warnings, lookAlikes }: InstallationReview): void => {
  const ink = io.noteInk;
  note(
    io,
    ...warnings.map((text) => `  ${ink.yellow('!')} ${visibleText(text)}`),
    ...lookAlikes.map(
      (text) => `  ${ink.red('!')} Is this the package that you mean? ${visibleText(text)}.`,
    ),
  );
};

/** Prints the page to stderr. */
export const showReview = (io: Io, review: InstallationReview): void => {
  const { name, version, resolved, integrity, tools, target } = review.package;
  const ink = io.noteInk;
  const replaces = review.replaces === undefined ? '' : ` (now ${review.replaces})`;
  note(
    io,
    `${ink.bold(name)} ${version}${replaces}: ${counted(tools.length, 'tool')}, for the ${target}`,
    ink.dim(`  from ${visibleText(resolved)}`),
    ink.dim(`  ${integrity}`),
    ...tools.map((tool) =>
      visibleText(`  ${tool.name} ${tool.version}  ${tool.tier}  ${needsText(tool)}`),
    ),
  );
  showWarnings(io, review);
};
