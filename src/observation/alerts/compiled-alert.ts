/** The port between the alert service and compiled alerts: evaluate a condition, run an action. */
import type {
  AlertDefinition,
  AlertFinding,
  AlertNotification,
  AlertStatus,
} from '../../contract/alerts.ts';

/** A finding; `holds` is `undefined` where the condition could not be evaluated. */
export interface Judged extends Omit<AlertFinding, 'holds'> {
  readonly holds: boolean | undefined;
}

export interface Judgement {
  readonly findings: readonly Judged[];
  readonly problem?: string;
}

/** An alert that can be evaluated. `Facts` are read once for all alerts of one evaluation. */
export interface CompiledAlert<Facts> {
  readonly id: string;
  readonly definition: AlertDefinition;
  readonly origin: AlertStatus['origin'];
  /** Evaluates the condition for every subject, those in `recorded` included: they fired or were pending before. */
  judge(facts: Facts, recorded: readonly string[]): Promise<Judgement>;
  /** Runs one of the actions. Rejects with a ToolFailure that tells whether another attempt may succeed. */
  act(index: number, notification: AlertNotification): Promise<void>;
}
