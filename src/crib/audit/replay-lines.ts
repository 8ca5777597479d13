/** Compares how a call ended with how it would end now, line by line, in words. */
import type { AuditRow } from '../../contract/audit.ts';
import {
  REPLAY_ASPECTS,
  type ReplayAspect,
  type ReplayedBefore,
  type ReplayedNow,
  type ReplayLine,
  type ReplayVerdict,
} from '../../contract/replay.ts';
import type { Rehearsal } from '../../pipeline/rehearse.ts';
import type { RecordedInput } from './recorded-call.ts';
import type { RecordedStop } from './recorded-end.ts';

export interface Compared {
  readonly row: AuditRow;
  readonly before: ReplayedBefore;
  readonly stop: RecordedStop;
  readonly now: ReplayedNow;
  readonly recorded: RecordedInput;
  /** `undefined` when the call could not be judged at all. */
  readonly rehearsal: Rehearsal | undefined;
}

/** One side of a line. `state` is compared, not the words; absent when nothing is known. */
interface Side {
  readonly text: string;
  readonly state?: string;
}

const NOT_REACHED: Side = { text: 'not reached' };
const NOT_JUDGED: Side = { text: 'cannot be judged' };
const NOT_ON_RECORD: Side = { text: 'not on record' };

const ASPECT_OF: Readonly<Record<string, ReplayAspect>> = {
  resolve: 'tool',
  validateInput: 'input',
  inspect: 'inspection',
  authorize: 'decision',
  limitRate: 'limits',
  authenticate: 'credential',
  checkPreconditions: 'preconditions',
  approve: 'approval',
  reserveBudget: 'budget',
  checkPrograms: 'programs',
};

/** The words for a gate that let the call pass. */
const PASSED: ReadonlyMap<ReplayAspect, string> = new Map([
  ['input', 'fits the schema'],
  ['inspection', 'nothing found'],
  ['limits', 'within the limits'],
  ['credential', 'there, or not needed'],
  ['preconditions', 'met, or none'],
  ['budget', 'covered'],
  ['programs', 'allowed, or none'],
]);

const orderOf = (aspect: ReplayAspect): number => REPLAY_ASPECTS.indexOf(aspect);

const usd = (amount: number): string => `$${amount.toFixed(4)}`;

const ended = ({ outcome, status, code, approvedBy }: ReplayedBefore): string => {
  if (outcome === 'refuse') return `refused: ${code}`;
  if (approvedBy !== undefined) return `ran, approved by ${approvedBy}: ${status}`;
  if (outcome === 'ask') return `a person was asked: ${code === '' ? status : code}`;
  return code === '' ? `ran: ${status}` : `ended with ${code}`;
};

const wouldEnd = ({ outcome, code, stage }: ReplayedNow): string => {
  if (outcome === 'run') return 'would run';
  if (outcome === 'ask') return 'a person would be asked';
  if (outcome === 'refuse') return `would be refused: ${code ?? stage ?? ''}`;
  return 'cannot be judged';
};

const outcomeSide = (outcome: ReplayedBefore['outcome'], text: string): Side =>
  outcome === 'unknown' ? { text } : { text, state: outcome };

const inspectedText = (notes: unknown): Side => {
  const list = Array.isArray(notes) ? notes.map(String) : [];
  return list.length === 0
    ? { text: PASSED.get('inspection') ?? '', state: 'passed' }
    : { text: list.join('; '), state: 'noted' };
};

const decided = (effect: string | undefined, rule: string | undefined): Side => {
  if (effect === undefined) {
    return rule ? { text: `by rule ${rule}` } : NOT_ON_RECORD;
  }
  return { text: rule ? `${effect} by rule ${rule}` : effect, state: `${effect} ${rule ?? ''}` };
};

const approvalBefore = ({ approvedBy, grantId, code, decision, outcome }: ReplayedBefore): Side => {
  if (approvedBy !== undefined) return { text: `given by ${approvedBy}`, state: 'asked' };
  if (grantId !== undefined) return { text: `by standing grant ${grantId}`, state: 'not needed' };
  if (outcome === 'ask') return { text: `asked: ${code}`, state: 'asked' };
  return decision === undefined ? NOT_ON_RECORD : { text: 'not needed', state: 'not needed' };
};

const specialBefore = (aspect: ReplayAspect, { row, before }: Compared): Side | undefined => {
  if (aspect === 'tool') return { text: `${row.tool} ${row.version}`, state: row.version };
  if (aspect === 'inspection') return inspectedText(row.detail.inspected);
  if (aspect === 'decision') return decided(before.decision, before.rule);
  if (aspect === 'approval') return approvalBefore(before);
  return undefined;
};

const pastSide = (aspect: ReplayAspect, compared: Compared): Side => {
  const { before, stop } = compared;
  if (aspect === 'outcome') return outcomeSide(before.outcome, ended(before));
  if (aspect === 'cost') return { text: usd(before.costUsd), state: usd(before.costUsd) };
  if (stop === aspect && aspect !== 'approval') {
    const refusal = { text: `refused: ${before.code}`, state: 'refused' };
    // The record does not name the rule that refused.
    return aspect === 'decision' ? { text: 'deny', state: 'deny ' } : refusal;
  }
  if (stop === 'unclear' && orderOf(aspect) > orderOf('decision')) return NOT_ON_RECORD;
  if (stop !== 'none' && stop !== 'unclear' && orderOf(stop) < orderOf(aspect)) return NOT_REACHED;
  return specialBefore(aspect, compared) ?? { text: PASSED.get(aspect) ?? '', state: 'passed' };
};

const specialNow = (aspect: ReplayAspect, { row, now, rehearsal }: Compared): Side | undefined => {
  if (aspect === 'tool') {
    return { text: `${row.tool} ${now.version ?? ''}`, state: now.version ?? '' };
  }
  if (aspect === 'inspection') {
    return inspectedText(rehearsal?.result.success ? rehearsal.result.data.inspected : undefined);
  }
  if (aspect === 'decision') {
    return now.decision === undefined ? { text: 'allow or ask' } : decided(now.decision, now.rule);
  }
  if (aspect !== 'approval') return undefined;
  if (now.outcome === 'ask') return { text: 'a person would be asked', state: 'asked' };
  return now.outcome === 'run' ? { text: 'not needed', state: 'not needed' } : NOT_JUDGED;
};

const presentSide = (aspect: ReplayAspect, compared: Compared): Side => {
  const { now, rehearsal } = compared;
  if (aspect === 'outcome') return outcomeSide(now.outcome, wouldEnd(now));
  if (!rehearsal) return NOT_JUDGED;
  if (aspect === 'cost') {
    if (now.estimatedUsd === undefined) return NOT_REACHED;
    const most = now.maxUsd === undefined ? '' : `, at most ${usd(now.maxUsd)}`;
    const isKnown =
      rehearsal.result.success && rehearsal.result.data.estimate.confidence === 'exact';
    const text = `${usd(now.estimatedUsd)} expected${most}`;
    return isKnown ? { text, state: usd(now.estimatedUsd) } : { text };
  }
  const stop = rehearsal.stage === undefined ? undefined : ASPECT_OF[rehearsal.stage];
  if (stop === undefined) {
    return specialNow(aspect, compared) ?? { text: PASSED.get(aspect) ?? '', state: 'passed' };
  }
  if (orderOf(stop) < orderOf(aspect)) return now.outcome === 'unknown' ? NOT_JUDGED : NOT_REACHED;
  if (stop !== aspect) {
    return specialNow(aspect, compared) ?? { text: PASSED.get(aspect) ?? '', state: 'passed' };
  }
  if (now.outcome === 'unknown') return NOT_JUDGED;
  if (aspect === 'decision') return { text: now.message ?? 'deny', state: 'deny ' };
  const { message, code } = now;
  return { text: `refused: ${[code, message].filter(Boolean).join(': ')}`, state: 'refused' };
};

const compareSides = (before: Side, now: Side): ReplayVerdict => {
  if (before === NOT_REACHED && now === NOT_REACHED) return 'same';
  if (before.state === undefined || now.state === undefined) return 'unknown';
  return before.state === now.state ? 'same' : 'different';
};

const isShown = ({ aspect, now }: ReplayLine): boolean =>
  aspect !== 'programs' || now.startsWith('refused');

export const compareLines = (compared: Compared): readonly ReplayLine[] =>
  REPLAY_ASPECTS.map((aspect): ReplayLine => {
    const before = pastSide(aspect, compared);
    const now = presentSide(aspect, compared);
    return { aspect, before: before.text, now: now.text, verdict: compareSides(before, now) };
  }).filter(isShown);

/** Sums up the lines. A difference in cost does not count, because an estimate is compared with an actual cost. */
export const verdictOf = (lines: readonly ReplayLine[]): ReplayVerdict => {
  const outcome = lines.find(({ aspect }) => aspect === 'outcome');
  const isDifferent = lines.some(
    ({ aspect, verdict }) => aspect !== 'cost' && verdict === 'different',
  );
  if (isDifferent) return 'different';
  return outcome?.verdict === 'unknown' ? 'unknown' : 'same';
};
