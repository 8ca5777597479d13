/** What a rule says, in its colour. */
import type { Colors } from 'picocolors/types.js';
import type { RuleEffect } from '../../../contract/policy.ts';
import type { Cell } from '../../output/table.ts';

export const ruleEffectCell = (effect: RuleEffect, ink: Colors): Cell => {
  if (effect === 'allow') return { text: effect, paint: ink.green };
  return { text: effect, paint: effect === 'deny' ? ink.red : ink.yellow };
};
