/** An alert that is ready to be evaluated and acted on; how, is decided by whoever compiled it. */
import type {
  AlertDefinition,
  AlertFinding,
  AlertNotification,
  AlertStatus,
} from '../../contract/alerts.ts';

/** `holds` is absent where the condition could not be worked out. */
export interface Judged extends Omit<AlertFinding, 'holds'> {
  readonly holds: boolean | undefined;
}

export interface Judgement {
  readonly findings: readonly Judged[];
  readonly problem?: string;
}

/** `Facts` are read once for all alerts of one evaluation. */
export interface CompiledAlert<Facts> {
  readonly id: string;
  readonly definition: AlertDefinition;
  readonly origin: AlertStatus['origin'];
  /** Evaluates the condition for every subject, also for those named, which were not well before. */
  judge(facts: Facts, known: readonly string[]): Promise<Judgement>;
  /** Does one of the actions. Rejects with a ToolFailure that says whether another try may help. */
  act(index: number, notification: AlertNotification): Promise<void>;
}
