/** The promises about flows and jobs: nothing is lost, and nothing happens twice. */
import type { Guarantee, Proof } from './architecture/check-guarantees.ts';

/** Tests of one file, by their titles. */
const by = (file: string, ...names: readonly string[]): readonly Proof[] =>
  names.map((name) => ({ file, name }));

export const FLOW_GUARANTEES: readonly Guarantee[] = [
  {
    id: 'flows-survive-kills',
    promise: 'A killed or frozen process loses no run of a flow and repeats no effect.',
    tests: by(
      'test/e2e/flow-crash.test.ts',
      'loses no run, repeats no effect, and blocks what is in doubt',
      'end every run, and make every effect once',
    ).concat(
      by(
        'test/guarantees/f5-flow-file.test.ts',
        'loses nothing and repeats nothing when one worker is killed and one is frozen and woken',
      ),
    ),
  },
  {
    id: 'tries-repeat-no-effect',
    promise:
      'What a flow, a composed tool or a job tries again does nothing a second time that it has done.',
    tests: [
      ...by(
        'src/flow/declared/threats-repeated-effects.test.ts',
        'is not where its tool failed with %s after it had changed something',
        'is where the tool is idempotent, with one key for all tries',
        'takes over what its calls have done, and makes the others again',
        'is not where another flow has run in it',
      ),
      ...by(
        'src/flow/compose/steps/steps.test.ts',
        'retry carries one key to what may be repeated, however it is tried again',
      ),
      ...by(
        'src/job/execute-workflow.test.ts',
        'threat: does not run it again where it has changed something',
        'goes on with the run that an attempt has started whose process died',
      ),
    ],
  },
  {
    id: 'large-runs-stay-flat',
    promise: 'Many calls at once, large flows and long lists end without an error in flat memory.',
    tests: [
      ...by(
        'test/guarantees/l1-load.test.ts',
        'none fails, the record verifies, and memory stays flat',
      ),
      ...by(
        'test/guarantees/l1-large-flows.test.ts',
        'L1: 1,000 nodes and 10,000 items give the right result, and memory stays flat',
      ),
    ],
  },
  {
    id: 'machines-share-one-key',
    promise: 'A machine whose signing key is not that of the shared store does not open it.',
    tests: by(
      'src/crib/store/postgres-crib.test.ts',
      'refuses a machine with another signing key, until that key is adopted',
    ),
  },
  {
    id: 'jobs-survive-kills',
    promise: 'A killed or frozen worker loses no job and repeats no effect, on every engine.',
    tests: [
      ...by(
        'test/e2e/job-crash.test.ts',
        'loses no job, repeats no effect, and makes dead what is in doubt',
      ),
      ...by(
        'test/guarantees/f1-jobs.test.ts',
        'loses no job, repeats no effect, and names what is in doubt',
      ),
      ...by(
        'test/e2e/redis-job-crash.test.ts',
        'loses no job and repeats no effect when one worker is killed and one is frozen',
      ),
    ],
  },
  {
    id: 'runs-and-jobs-belong-to-callers',
    promise:
      'Runs and jobs of another user can neither be seen nor changed, nor go on without him.',
    tests: [
      ...by('src/crib/members/flows/threats-flow-callers.test.ts', 'is as good as unknown: %s'),
      ...by(
        'src/surfaces/http/jobs.test.ts',
        'threat: of another user does not exist, but for admins; viewers see no content',
        'threat: of a token that was revoked since does not run',
        'threat: of another user is neither seen, changed nor removed',
        'threat: an error that names what a job was given is shown to a viewer by its code alone',
      ),
      ...by(
        'src/surfaces/http/threats-flows.test.ts',
        'hostile: shows a viewer its code alone; its caller reads all of it',
        'hostile: the token of an %s cannot give it for its own run',
      ),
    ],
  },
  {
    id: 'a-plan-is-approved-as-shown',
    promise:
      'One approval of a plan covers the calls that a person saw, in one run, as they were then.',
    tests: [
      ...by(
        'src/flow/declared/plan/plan-approval.test.ts',
        'runs its calls without asking again, and each of them names the approval',
        'hostile: is replayed for a second run',
        'hostile: is used with %s',
        'hostile: the tool has changed while the run waits, so its call asks',
        'hostile: a caller hands in a consent that it made itself',
        'hostile: a path that the plan names leads elsewhere when it is used',
      ),
      ...by(
        'src/surfaces/http/flows.test.ts',
        'threat: an agent cannot approve its own plan; another person can, and nothing is asked again',
      ),
      ...by(
        'src/crib/members/threats-changed-arguments.test.ts',
        'threat: sends what was approved where the input is changed %i ticks after the start',
        'threat: runs what was planned where the input is changed %i ticks after the start with a digest',
      ),
    ],
  },
  {
    id: 'planted-records-decide-nothing',
    promise:
      'Whoever can write the store or the queue changes no run, starts no job and moves no schedule.',
    tests: [
      ...by(
        'src/crib/members/threats-planted-journal.test.ts',
        'with %s blocks the run, and its code does not run',
        'of a run whose version was changed by hand in the file is not continued',
      ),
      ...by(
        'src/crib/members/threats-planted-schedule.test.ts',
        'adds no job that a worker runs: %s',
      ),
      ...by(
        'src/job/threats-schedule-replays.test.ts',
        'threat: jobs planted with the seal of a schedule, or a schedule with other moments, have no effect',
      ),
    ],
  },
  {
    id: 'one-job-a-moment',
    promise: 'Any number of processes make one job for each moment of a schedule, and run it once.',
    tests: [
      ...by(
        'test/e2e/faulty-workers.test.ts',
        'add one job for each moment of a schedule and run it once',
        'enter a handler once that blocks its process for longer than a lease',
      ),
      ...by(
        'src/flow/clock-jumps.test.ts',
        'a job of a schedule waits for its moment after the clock was set back, and runs once',
        'flows, jobs and retries go on after the clock was set %s',
      ),
    ],
  },
  {
    id: 'jobs-are-not-forged',
    promise: 'A job that was changed or put back in Redis changes nothing.',
    tests: by(
      'src/crib/queue/threats-jobs-in-redis.test.ts',
      'a worker does not run a job that was given %s',
      'a job that ran, was removed and is put back has no second effect',
    ),
  },
  {
    id: 'agents-add-judged-jobs',
    promise:
      'An agent adds no job whose handler does what no rule judges, unless it was allowed to.',
    tests: [
      ...by('src/job/threats-added-types.test.ts', 'hostile: is not added by %s'),
      ...by(
        'src/surfaces/http/jobs.test.ts',
        'threat: is not added or scheduled by an agent unless the program opens it to agents',
      ),
    ],
  },
  {
    id: 'cancelled-stays-cancelled',
    promise:
      'A run that is cancelled while it ends, twice, or while its worker is frozen does no more.',
    tests: [
      ...by(
        'src/flow/cancel-races.test.ts',
        'that is cancelled twice around its end is cancelled once or completed, and all agree',
        'that is cancelled in its last step keeps what it has done on record, and does no more',
      ),
      ...by(
        'test/e2e/faulty-workers.test.ts',
        'a run whose worker is frozen is cancelled by another process, and does nothing more once it wakes',
      ),
    ],
  },
  {
    id: 'events-once',
    promise:
      'An event that was sent to a run is taken once, also where its row in the store is copied.',
    tests: by(
      'src/crib/members/threats-copied-events.test.ts',
      'hostile: one that was made before the event was taken is not taken',
      'hostile: one that was made when the event had been taken is not taken by another process',
    ),
  },
  {
    id: 'outages-end-no-work',
    promise:
      'A store that fails for a moment fails no run, uses up no attempt of a job that has not begun, and repeats no effect.',
    tests: [
      ...by(
        'src/flow/failing-store.test.ts',
        'at %s ends as if it had not, and makes each effect once',
        'at %s of a call that only reads ends as if it had not',
      ),
      ...by(
        'src/job/unreachable-store.test.ts',
        'waits and keeps its attempts when it cannot be claimed, and runs once the store is back',
      ),
    ],
  },
  {
    id: 'large-flows-hold-nobody',
    promise:
      'Plans, drawings and lists of flows and jobs are bounded, however large agents make them.',
    tests: [
      ...by(
        'src/flow/declared/plan/threats-plan-work.test.ts',
        'hostile: a plan with %s beside each item ends soon, and says what was not judged',
      ),
      ...by('src/kit/graph/threats-large-graphs.test.ts', 'hostile: is laid out soon where %s'),
      ...by(
        'src/surfaces/http/threats-large-lists.test.ts',
        'hostile: %s is answered in pages of bounded size, which show each item once',
      ),
    ],
  },
];
