/**
 * Bounds how often one validation may follow a `$ref`. References are the only way in which a small
 * schema can ask for exponential work, so this keeps a hostile one from hanging the process.
 */
import { _, type Ajv, type CodeKeywordDefinition } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';

export interface StepBudget {
  used: number;
  readonly limit: number;
}

const MIN_STEPS = 20_000;
const MAX_STEPS = 1_000_000;
const MAX_WORK = 100_000_000;

/** Makes every reference count itself. A validation that runs out throws; set `used` to 0 before each. */
export const boundReferences = (ajv: Ajv | Ajv2020, nodes: number): StepBudget => {
  const limit = Math.min(MAX_STEPS, Math.max(MIN_STEPS, Math.floor(MAX_WORK / nodes)));
  const budget: StepBudget = { used: 0, limit };
  const step = (): void => {
    budget.used += 1;
    if (budget.used > limit) throw new RangeError('Too many references followed.');
  };
  for (const keyword of ['$ref', '$dynamicRef']) {
    const definition = ajv.getKeyword(keyword);
    if (typeof definition !== 'object' || !('code' in definition)) continue;
    const { code } = definition as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...(definition as CodeKeywordDefinition),
      code(cxt, ruleType) {
        cxt.gen.code(_`${cxt.gen.scopeValue('func', { ref: step })}()`);
        code(cxt, ruleType);
      },
    });
  }
  return budget;
};
