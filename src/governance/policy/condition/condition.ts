/** A test that a call passes or not, whether it was written in CEL or is one of our own. */
import type { PolicyQuestion } from '../../../contract/policy.ts';
import type { CallFacts } from './call-facts.ts';

export interface Condition {
  readonly text: string;
  /** It is quicker when it is handed the facts that others have used already. */
  readonly usesFacts: boolean;
  /** Throws when it cannot be told. */
  holds(question: PolicyQuestion, facts?: CallFacts): boolean;
}
