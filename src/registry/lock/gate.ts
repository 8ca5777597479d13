/** The port through which loading asks whether tools from outside may be called. No answer means no. */
import type { Quarantine } from '../../contract/lock.ts';
import type { Logger } from '../../contract/runtime.ts';
import type { Source } from '../../contract/source.ts';
import type { ToolSource } from '../../contract/tool.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { Loaded } from '../load/load-sources.ts';
import type { ToolFamilies } from '../tool-families.ts';
import type { Registered } from '../versions.ts';

export interface Gate {
  /** Called once, with the families whose tools it will judge. */
  guard(families: ToolFamilies): void;
  /** Called before every load from outside. Never rejects. */
  prepare(): Promise<void>;
  /** Says why the tool has to wait; nothing for one that was accepted. */
  judge(registered: Registered): Quarantine | undefined;
  /** Gives the label of the source that a name was first accepted from; no other source gets the name. */
  holderOf?(name: string): string | undefined;
  /** Called after the load: accepts what the configuration trusts on first use. Never rejects. */
  acceptFirstUse(): Promise<void>;
}

const OUTSIDE: readonly ToolSource[] = ['mcp', 'package', 'team', 'external', 'workflow'];

/** Tells whether others wrote the tools of a source and can change them at any time. */
export const isFromOutside = ({ kind, isAccepted }: Pick<Source, 'kind' | 'isAccepted'>): boolean =>
  isAccepted !== true && OUTSIDE.includes(kind);

/** The verdict on a definition that could not be read. */
export const NOT_JUDGED: Quarantine = {
  reason: 'flagged',
  findings: [
    {
      kind: 'hidden_instruction',
      path: '',
      message: 'the definition cannot be looked through, so nobody can tell what is in it',
    },
  ],
};

interface Judging {
  readonly gate: Gate;
  readonly families: ToolFamilies;
  readonly log: Logger;
}

/** Puts every loaded tool that the gate does not accept into quarantine. Never throws. */
export const judgeLoaded = (loaded: readonly Loaded[], judging: Judging): void => {
  for (const { source, added } of loaded) {
    if (!isFromOutside(source)) continue;
    for (const registered of added) {
      const quarantine = judgeOne(registered, judging);
      if (quarantine) judging.families.hold(registered, quarantine);
    }
  }
};

const judgeOne = (registered: Registered, { gate, log }: Judging): Quarantine | undefined => {
  try {
    return gate.judge(registered);
  } catch (error) {
    const reason = reasonOf(error);
    log.error('A tool could not be judged', { tool: registered.tool.name, reason });
    return NOT_JUDGED;
  }
};
