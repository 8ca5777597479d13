/** Chooses by what a tool can reach which fields of its input are judged, and as what. */
import type { Tool } from '../../contract/tool.ts';
import type { FieldKind } from './field-kind.ts';
import { type IsInside, judgePath } from './judge-path.ts';
import { judgeCommandControls, judgeHeader, judgeHidden, type Report } from './judge-text.ts';
import { judgeLikeUrl, judgeUrl, type LooksSecret, looksLikeUrl } from './judge-url.ts';

export interface Reach {
  readonly files: boolean;
  /** The files go through the path guard, so that there is a root to be inside of. */
  readonly brokered: boolean;
  readonly commands: boolean;
  readonly hosts: boolean;
}

export const reachOf = ({ tier, category, needs, capabilities }: Tool): Reach => {
  const tiers = [tier, ...capabilities.map((each) => each.tier)];
  return {
    files: category === 'filesystem' || category === 'search' || needs?.paths !== undefined,
    brokered: needs?.paths !== undefined,
    commands: tiers.includes('execute') || needs?.commands !== undefined,
    hosts: tiers.includes('external_api') || category === 'api' || needs?.hosts !== undefined,
  };
};

export type FieldJudge = (text: string, kind: FieldKind | undefined, report: Report) => void;

interface Hooks {
  readonly looksSecret?: LooksSecret;
  readonly isInside?: IsInside;
}

type Judges = Partial<Record<FieldKind, (text: string, report: Report) => void>>;

const judgeCommandText = (text: string, report: Report): void => {
  judgeCommandControls(text, report);
  judgeHidden(text, report);
};

const judgesFor = (reach: Reach, { looksSecret, isInside }: Hooks): Judges => {
  const inside = reach.brokered ? isInside : undefined;
  return {
    name: judgeHidden,
    ...(reach.files && { path: (text, report) => judgePath(text, inside, report) }),
    ...(reach.commands && { command: judgeCommandText, arguments: judgeCommandText }),
    ...(reach.hosts && {
      url: (text, report) => judgeUrl(text, looksSecret, report),
      header: judgeHeader,
    }),
  };
};

/**
 * Makes the judge for the fields of a tool; `undefined` for a tool that reaches nothing a text
 * could harm.
 */
export const fieldJudgeFor = (reach: Reach, hooks: Hooks): FieldJudge | undefined => {
  if (!reach.files && !reach.commands && !reach.hosts) return undefined;
  const judges = judgesFor(reach, hooks);
  return (text, kind, report) => {
    if (kind) judges[kind]?.(text, report);
    // Any text that reads like a URL may end up as one.
    if (reach.hosts && kind !== 'url' && looksLikeUrl(text)) {
      judgeLikeUrl(text, hooks.looksSecret, report);
    }
  };
};
