/**
 * Regular expressions for conditions, run by an engine whose time is linear in the text: a pattern
 * and an input that make a backtracking engine hang cost nothing here. Each pattern is compiled once.
 */
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

const LONGEST = 1000;
const MAX_COMPUTED = 100;

export class LinearPatterns {
  readonly #literal = new Map<string, RE2JS>();
  /** Patterns put together at run time; they may hold anything, so few of them are kept. */
  readonly #computed = new LRUCache<string, RE2JS>({ max: MAX_COMPUTED });

  /** For a pattern that stands in a condition. Throws when it is no regular expression. */
  keep(pattern: string): void {
    this.#literal.set(pattern, this.#compile(pattern));
  }

  /** Is there a match anywhere in the text? */
  test(text: string, pattern: string): boolean {
    return (this.#literal.get(pattern) ?? this.#computedPattern(pattern)).test(text);
  }

  #computedPattern(pattern: string): RE2JS {
    const known = this.#computed.get(pattern);
    if (known) return known;
    // A few characters such as `((a{999}){999}){9}` take seconds to compile.
    if (pattern.includes('{')) throw new RangeError('a computed pattern has no counted repetition');
    const made = this.#compile(pattern);
    this.#computed.set(pattern, made);
    return made;
  }

  #compile(pattern: string): RE2JS {
    if (pattern.length > LONGEST) {
      throw new RangeError(`a pattern has at most ${LONGEST} characters`);
    }
    return RE2JS.compile(pattern);
  }
}
