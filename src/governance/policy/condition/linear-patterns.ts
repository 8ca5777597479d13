/**
 * Regular expressions for conditions, run by an engine whose time is linear in the text, so that no
 * pattern and no input can block the process. Each pattern is compiled once.
 */
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

const MAX_LENGTH = 1000;
const MAX_COMPUTED = 100;

export class LinearPatterns {
  readonly #literal = new Map<string, RE2JS>();
  /** Patterns computed at run time; they may hold anything, so few of them are kept. */
  readonly #computed = new LRUCache<string, RE2JS>({ max: MAX_COMPUTED });

  /** Compiles a literal pattern of a condition. Throws when it is no regular expression. */
  keep(pattern: string): void {
    this.#literal.set(pattern, this.#compile(pattern));
  }

  /** Tells whether the pattern matches anywhere in the text. */
  test(text: string, pattern: string): boolean {
    return (this.#literal.get(pattern) ?? this.#computedPattern(pattern)).test(text);
  }

  #computedPattern(pattern: string): RE2JS {
    const cached = this.#computed.get(pattern);
    if (cached) return cached;
    // A few characters such as `((a{999}){999}){9}` take seconds to compile.
    if (pattern.includes('{')) throw new RangeError('a computed pattern has no counted repetition');
    const compiled = this.#compile(pattern);
    this.#computed.set(pattern, compiled);
    return compiled;
  }

  #compile(pattern: string): RE2JS {
    if (pattern.length > MAX_LENGTH) {
      throw new RangeError(`a pattern has at most ${MAX_LENGTH} characters`);
    }
    return RE2JS.compile(pattern);
  }
}
