/** What was found in one input, and what of it has still to be looked at by a parser. */
import type { FoundInvocation } from './find-invocations.ts';
import type { Report } from './judge-text.ts';
import { type Finding, pointerOf, type Trail, type Violation } from './violation.ts';

/** One attack repeated in a long list is told a few times, not a million times. */
const MAX_VIOLATIONS = 20;
/** Characters of markup that one input is searched for. */
const MAX_MARKUP = 2_000_000;

const UNREAD_MARKUP: Finding = {
  type: 'injection',
  severity: 'low',
  description: 'There is too much markup to be looked through.',
  remedy: 'Whoever shows the text in a page has to escape or clean it.',
};

export class InputFindings {
  readonly violations: Violation[] = [];
  readonly invocations: FoundInvocation[] = [];
  readonly markup: { readonly text: string; readonly trail: Trail }[] = [];
  #markupSize = 0;
  #trail: Trail = [];

  /** Reports go to the place named last: a closure per string would cost more than the look. */
  at(trail: Trail): Report {
    this.#trail = trail;
    return this.#report;
  }

  /** Something is left for a parser that may have to be loaded. */
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
    // A grave one is never crowded out by many slight ones.
    if (this.violations.length >= MAX_VIOLATIONS) this.violations.sort(bySeverity).pop();
    this.violations.push({ ...finding, at });
  };
}

const ORDER = ['critical', 'high', 'medium', 'low'] as const;
const bySeverity = (a: Violation, b: Violation): number =>
  ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity);
