/**
 * The conditions of the built-in rules, in CEL and as the same test in code, so that no CEL is
 * loaded without a policy file. A test compares the two.
 */
import type { PolicyQuestion } from '../../../contract/policy.ts';
import { isDelicate, isSink } from '../capability.ts';
import type { Condition } from './call-facts.ts';
import { hasPrivate, hasSecret } from './call-facts.ts';

const NATIVE = {
  destructive: ({ tool, capability }: PolicyQuestion) => isDelicate(tool, capability),
  'sink && flow.untrusted && flow.private': ({ tool, tier, flow }: PolicyQuestion) =>
    isSink(tool, tier) && flow.untrusted && hasPrivate(flow),
  'sink && flow.secret': ({ tool, tier, flow }: PolicyQuestion) =>
    isSink(tool, tier) && hasSecret(flow),
};

export type NativeText = keyof typeof NATIVE;

export const NATIVE_TEXTS = Object.keys(NATIVE) as readonly NativeText[];

export const nativeCondition = (text: NativeText): Condition => ({
  text,
  usesFacts: false,
  holds: NATIVE[text],
});
