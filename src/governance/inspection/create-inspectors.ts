/**
 * Looks at the strings of an input for signs of an attack that a schema cannot see. What is looked
 * for is chosen once per tool, so that prose about `sudo` in a document is not reported.
 */
import type { Sanitizing, Tool } from '../../contract/tool.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import type { FieldKind } from './field-kind.ts';
import { type FoundInvocation, findInvocations } from './find-invocations.ts';
import { type CommandJudge, createCommandJudge } from './judge-command.ts';
import { type FieldJudge, fieldJudgeFor, reachOf } from './judge-field.ts';
import type { Report } from './judge-text.ts';
import { loadScriptFinder, mayHoldScript, scriptLike } from './script-content.ts';
import { type Finding, pointerOf, type Trail, type Violation } from './violation.ts';
import { createFieldWalker, someText, type Visitor } from './walk-fields.ts';

export interface InspectionOptions {
  /** For tools that do not say themselves. */
  readonly sanitize?: Exclude<Sanitizing, 'strip'>;
  /** Tells whether a text holds a known secret. */
  looksSecret?(text: string): boolean;
  /** Tells whether an absolute path is below a root of the workspace. */
  isInside?(path: string): boolean;
}

type Violations = readonly Violation[];

/** Answers at once, unless something has to be loaded first. */
export type Inspector = (input: unknown) => Violations | Promise<Violations>;

const NONE: Violations = Object.freeze([]);

const loadCommandJudge = async (): Promise<CommandJudge> =>
  createCommandJudge(await import('unbash'));

/** An attack that is repeated in a long list is reported a few times only. */
const MAX_VIOLATIONS = 20;
/** Characters of markup that one input is searched for. */
const MAX_MARKUP = 2_000_000;

const UNREAD_MARKUP: Finding = {
  type: 'injection',
  severity: 'low',
  description: 'There is too much markup to be looked through.',
  remedy: 'Whoever shows the text in a page has to escape or clean it.',
};

/** Collects what was found in one input, and what a parser has still to look at. */
class InputFindings {
  readonly violations: Violation[] = [];
  readonly invocations: FoundInvocation[] = [];
  readonly markup: { readonly text: string; readonly trail: Trail }[] = [];
  #markupSize = 0;
  #trail: Trail = [];

  /** Sets the place that reports are about. One function for all: a closure per string costs too much. */
  at(trail: Trail): Report {
    this.#trail = trail;
    return this.#report;
  }

  /** Whether something is left for a parser that may have to be loaded. */
  get isOpen(): boolean {
    return this.invocations.length > 0 || this.markup.length > 0;
  }

  addMarkup(text: string, trail: Trail): void {
    this.#markupSize += text.length;
    if (this.#markupSize > MAX_MARKUP) this.at(trail)(UNREAD_MARKUP);
    else this.markup.push({ text, trail: [...trail] });
  }

  #report = (finding: Finding): void => {
    const at = pointerOf(this.#trail);
    const isKnown = this.violations.some(
      (each) => each.at === at && each.description === finding.description,
    );
    if (isKnown) return;
    // Drops the least severe one, so that a severe one is never lost among many others.
    if (this.violations.length >= MAX_VIOLATIONS) this.violations.sort(bySeverity).pop();
    this.violations.push({ ...finding, at });
  };
}

const ORDER = ['critical', 'high', 'medium', 'low'] as const;
const bySeverity = (a: Violation, b: Violation): number =>
  ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity);

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

/** Makes the inspector of each tool. Parsers are loaded once for all of them. */
export const createInspectors = (options: InspectionOptions = {}): ((tool: Tool) => Inspector) => {
  const walk = createFieldWalker();
  const commandJudge = lazyAsync(loadCommandJudge);
  const scriptFinder = lazyAsync(loadScriptFinder);

  const conclude = async (findings: InputFindings): Promise<Violations> => {
    if (findings.invocations.length > 0) {
      const judge = await commandJudge();
      for (const invocation of findings.invocations) {
        judge(invocation, findings.at(invocation.trail));
      }
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
