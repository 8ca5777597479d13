/** Compiles the condition of an alert: CEL with the bounds of policies, over figures and states. */
import { ToolFailure } from '../../contract/errors.ts';
import { meterNodes, visitNodes, WorkMeter } from '../../flow/values/work-meter.ts';
import {
  boundedEnvironment,
  LinearPatterns,
} from '../../governance/policy/condition/cel-environment.ts';
import { badCondition } from '../../governance/policy/condition/compile-condition.ts';
import { prepareCondition, Refusal } from '../../governance/policy/condition/prepare-condition.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import { declareNames, namesFor } from './alert-names.ts';

export interface AlertCondition {
  /** The names that the condition uses. */
  readonly names: ReadonlySet<string>;
  /** Evaluates the condition. Throws where it cannot be evaluated. */
  holds(values: Readonly<Record<string, unknown>>): boolean;
}

type Compile = (text: string) => AlertCondition;

/** Creates a compiler whose conditions share one environment, because setting one up is costly. */
const conditionCompiler = (each: string | undefined): Compile => {
  const prepared = { patterns: new LinearPatterns(), constants: new Map<string, unknown>() };
  const environment = declareNames(boundedEnvironment(prepared), each);
  const allNames = namesFor(each);
  const meter = new WorkMeter();
  return (text) => {
    const program = environment.parse(text);
    const names = new Set<string>();
    visitNodes(program.ast, ({ op, args }) => {
      if (op === 'id' && allNames.includes(args)) names.add(args);
    });
    prepareCondition(program.ast, prepared, environment);
    const { valid, type, error } = program.check();
    if (!valid) throw error;
    if (type !== 'bool') throw new Refusal(`gives ${type}, not true or false`, 0);
    meterNodes(program.ast, meter);
    return {
      names,
      holds: (values) => meter.measure((): unknown => program(values)) === true,
    };
  };
};

/** Suggests the name that was meant, where the fault is a name. */
const suggestionFor = (reason: string, each: string | undefined): string => {
  const [, wrong] = /Unknown variable: (\w+)/.exec(reason) ?? [];
  const names = namesFor(each);
  const suggestion = wrong === undefined ? '' : didYouMean(wrong, names);
  return suggestion === ''
    ? `The names are ${names.join(', ')}; see docs/alerts.md.`
    : suggestion.replace(/^\W+/, '');
};

export type CompileAlertCondition = (text: string, each: string | undefined) => AlertCondition;

/** Creates a compiler. It throws VALIDATION_ERROR with the position of the fault and a suggestion. */
export const alertConditions = (): CompileAlertCondition => {
  const compilers = new Map<string | undefined, Compile>();
  return (text, each) => {
    const key = each === 'server' ? each : undefined;
    const compile = compilers.get(key) ?? conditionCompiler(key);
    compilers.set(key, compile);
    try {
      return compile(text);
    } catch (error) {
      const { reason, offset } = badCondition(error);
      const message = `CEL, character ${offset + 1}: ${reason}`;
      throw new ToolFailure('VALIDATION_ERROR', `when, ${message}.`, {
        issues: [{ path: ['when'], message }],
        suggestions: [suggestionFor(reason, key)],
      });
    }
  };
};
