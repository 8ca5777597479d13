/**
 * Looks at the strings of an input for signs of an attack that a schema cannot see. What is looked
 * for is chosen once per tool, so that prose about `sudo` in a document is nobody's business.
 */
import type { Sanitizing, Tool } from '../../contract/tool.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import type { FieldKind } from './field-kind.ts';
import { findInvocations } from './find-invocations.ts';
import { InputFindings } from './input-findings.ts';
import { type CommandJudge, createCommandJudge } from './judge-command.ts';
import { type FieldJudge, fieldJudgeFor, reachOf } from './judge-field.ts';
import { loadScriptFinder, mayHoldScript, scriptLike } from './script-content.ts';
import type { Trail, Violation } from './violation.ts';
import { createFieldWalker, someText, type Visitor } from './walk-fields.ts';

export interface InspectionOptions {
  /** For tools that do not say themselves. */
  readonly sanitize?: Exclude<Sanitizing, 'strip'>;
  /** True for text that holds a secret somebody handed out. */
  looksSecret?(text: string): boolean;
  /** True for an absolute path below a root of the workspace. */
  isInside?(path: string): boolean;
}

type Violations = readonly Violation[];

/** Answers at once, unless something has to be loaded first. */
export type Inspector = (input: unknown) => Violations | Promise<Violations>;

const NONE: Violations = Object.freeze([]);

const loadCommandJudge = async (): Promise<CommandJudge> =>
  createCommandJudge(await import('unbash'));

/** What the input of one tool is looked through for. */
interface Looking {
  readonly judge: FieldJudge | undefined;
  readonly commands: boolean;
  readonly flags: boolean;
}

class Look implements Visitor {
  readonly findings = new InputFindings();
  readonly #looking: Looking;

  constructor(looking: Looking) {
    this.#looking = looking;
  }

  text(text: string, kind: FieldKind | undefined, trail: Trail): void {
    const { judge, flags } = this.#looking;
    if (judge) judge(text, kind, this.findings.at(trail));
    if (flags && mayHoldScript(text)) this.findings.addMarkup(text, trail);
  }

  object(object: Readonly<Record<string, unknown>>, trail: Trail): void {
    if (this.#looking.commands) this.findings.invocations.push(...findInvocations(object, trail));
  }
}

/** Makes the inspector of each tool. What they have to load is loaded once for all of them. */
export const createInspectors = (options: InspectionOptions = {}): ((tool: Tool) => Inspector) => {
  const walk = createFieldWalker();
  const commandJudge = lazyAsync(loadCommandJudge);
  const scriptFinder = lazyAsync(loadScriptFinder);

  const conclude = async (findings: InputFindings): Promise<Violations> => {
    if (findings.invocations.length > 0) {
      const judge = await commandJudge();
      for (const found of findings.invocations) judge(found, findings.at(found.trail));
    }
    if (findings.markup.length > 0) {
      const find = await scriptFinder();
      for (const { text, trail } of findings.markup) {
        const kinds = find(text);
        if (kinds.size > 0) findings.at(trail)(scriptLike(kinds));
      }
    }
    return findings.violations;
  };

  return (tool) => {
    const reach = reachOf(tool);
    const judge = fieldJudgeFor(reach, options);
    const flags = (tool.sanitize ?? options.sanitize ?? 'flag') === 'flag';
    if (!judge && !flags) return () => NONE;
    const looking: Looking = { judge, commands: reach.commands, flags };
    return (input) => {
      if (!judge && !someText(input, mayHoldScript)) return NONE;
      const look = new Look(looking);
      walk(input, look);
      const { findings } = look;
      return findings.isOpen ? conclude(findings) : findings.violations;
    };
  };
};
