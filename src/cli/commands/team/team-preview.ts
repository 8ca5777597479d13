/**
 * The `--dry-run` of `toolcrib add team` and `team join`: shows the content of the bundle without
 * joining.
 */
import type { TeamKey } from '../../../contract/team.ts';
import type { PreviewedRule, TeamPreview } from '../../../crib/team/preview-team.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { shellQuote } from '../../output/format-units.ts';
import { whileShown } from '../../output/progress-line.ts';
import { noteDryRun, showPreview } from '../add/source-page.ts';
import type { Membership } from './team-access.ts';

const ruleLine = (io: Io, { name, effect, tools }: PreviewedRule): string => {
  const about = tools === undefined ? 'all tools' : tools.join(', ');
  const paint = effect === 'deny' ? io.ink.red : io.ink.yellow;
  return `Rule: ${visibleText(name)} ${paint(visibleText(effect))} ${visibleText(about)}`;
};

const listed = (label: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${label}: ${visibleText(names.join(', '))}`];

const showTeam = (io: Io, { org, fingerprint }: TeamKey, preview: TeamPreview): void => {
  showPreview(io, `${org} (team)`, preview);
  const { rules, enforced, revoked, disablesLocalTools } = preview;
  print(io, ...rules.map((rule) => ruleLine(io, rule)));
  print(
    io,
    ...listed('Cannot be switched off', enforced),
    ...listed('Cannot be run any more', revoked),
  );
  if (disablesLocalTools) {
    print(io, `${io.ink.yellow('!')} Your own tools, MCP servers and APIs would not be loaded.`);
  }
  print(io, `Bundle: ${preview.serial}, signed with ${fingerprint}`);
};

export interface ProposedJoin {
  readonly url: string;
  readonly key: TeamKey;
  /** True when the user named the key and it is this one. */
  readonly isCompared: boolean;
  /** The options to print with the command that joins. */
  readonly typed: readonly string[];
}

export const showJoin = async (
  io: Io,
  { loaded, home, runtime, env }: Membership,
  { url, key, isCompared, typed }: ProposedJoin,
): Promise<number> => {
  const { previewTeam } = await import('../../../crib/team/preview-team.ts');
  const { config, policyFiles, projectDir } = loaded;
  const deps = { config, home, project: projectDir ?? io.cwd, policyFiles, runtime, env };
  const preview = await whileShown(io, `Reading ${key.org}`, () =>
    previewTeam({ ...key, url }, deps),
  );
  const { org, fingerprint } = key;
  if (io.json) {
    printJson(io, { source: org, kind: 'team', dryRun: true, fingerprint, isCompared, ...preview });
    return 0;
  }
  showTeam(io, key, preview);
  if (!isCompared) {
    note(io, 'The key was not compared: ask your team for its fingerprint over another channel.');
  }
  noteDryRun(io, ['toolcrib', 'add', 'team', shellQuote(url), ...typed].join(' '));
  return 0;
};
