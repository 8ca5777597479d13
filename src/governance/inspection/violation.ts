/** What an inspection finds: which kind of attack it looks like, how severe it is, where and what to do. */
import type { Severity } from '../../contract/errors.ts';

export interface Finding {
  readonly type: 'injection' | 'path_traversal' | 'privilege_escalation' | 'data_exfiltration';
  readonly severity: Severity;
  readonly description: string;
  readonly remedy: string;
}

export interface Violation extends Finding {
  /** JSON Pointer of the field, such as `/files/0/path`. The value itself is never named. */
  readonly at: string;
}

/** The keys and indexes that lead to a value. */
export type Trail = readonly (string | number)[];

/** Field names come from callers too: long or unprintable ones are cut to size. */
const MAX_KEY = 64;

const pointerPart = (key: string | number): string =>
  String(key)
    .slice(0, MAX_KEY)
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll(/[^\P{C}\p{Co}]/gu, '\ufffd');

export const pointerOf = (trail: Trail): string =>
  trail.map((key) => `/${pointerPart(key)}`).join('');

/** Tells whether a finding refuses the call: high and critical ones do, the others are noted. */
export const isSerious = ({ severity }: Finding): boolean =>
  severity === 'high' || severity === 'critical';
