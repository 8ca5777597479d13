/** The promises about processes that leave, answers that are lost and stores that are shared. */
import type { Guarantee, Proof } from './architecture/check-guarantees.ts';

/** Tests of one file, by their titles. */
const by = (file: string, ...names: readonly string[]): readonly Proof[] =>
  names.map((name) => ({ file, name }));

export const RECOVERY_GUARANTEES: readonly Guarantee[] = [
  {
    id: 'long-runs-repeat-no-effect',
    promise: 'A run or a job that waits for months repeats no call that it has made.',
    tests: [
      ...by(
        'src/pipeline/threats-expired-keys.test.ts',
        'still answers after a year, and is forgotten in the end',
        'still answers after a year where another tool made the call',
        'is not one that a caller makes up with %s',
      ),
      ...by('src/job/job-calls.test.ts', 'is not made again by an attempt that comes a week later'),
      ...by(
        'src/flow/declared/threats-old-tries.test.ts',
        'makes no call again that has succeeded, and hands on what it returned',
        'makes no call of its items, alternatives and fallbacks again that has succeeded',
        'refuses another input for a call that has succeeded',
        'makes no call again that another process has made',
      ),
    ],
  },
  {
    id: 'leaving-fails-no-run',
    promise: 'A process that is stopped fails no run: the next one goes on where it is.',
    tests: [
      ...by(
        'src/crib/members/flows/stopped-runs.test.ts',
        'lets the call end, and the next process goes on after it',
        'cuts a call off that does not end, and its run is blocked instead of failed',
        'makes the call again in the next process where its tool is idempotent',
        'does not wait for it, and the next process makes it again',
      ),
      ...by(
        'src/flow/blocked-turns.test.ts',
        'has the end of that call on record before it is given up, so that its effect is not repeated',
      ),
    ],
  },
  {
    id: 'doubt-is-settled-by-a-person',
    promise:
      'A call in doubt is settled by the word of the run’s own user, once, and the trail says whose it was.',
    tests: by(
      'src/crib/members/flows/stopped-runs.test.ts',
      'goes on after the call when a person says that it is done, and the trail says who did',
      'makes the call again when a person says that it is not done',
      'is not settled by another user, nor by a step that is not in doubt, nor twice',
    ),
  },
  {
    id: 'an-answer-is-for-one-step',
    promise: 'The answer to the question of a run is used by the step that asked, and by no other.',
    tests: [
      ...by(
        'src/crib/members/flows/step-questions.test.ts',
        'each have a question of their own, and a yes to both lets both go on',
        'each have a question of their own: by equal calls that only read',
        'that is a no stays one',
      ),
      ...by(
        'src/pipeline/approval/threats-step-answers.test.ts',
        'hostile: is not used by %s',
        'benign: counts again for the step whose process died right after it had used it',
        'hostile: is used once, and not after its time is over',
      ),
    ],
  },
  {
    id: 'an-undo-ends',
    promise: 'An undo that has begun is finished, whatever else the run or its caller does.',
    tests: [
      ...by(
        'src/flow/undo/late-branches.test.ts',
        'is finished although a branch made steps after the code had failed',
        'leaves no sub-flow running that would go on making effects',
      ),
      ...by(
        'src/flow/end-run.test.ts',
        'leaves an undo that begins meanwhile, and makes the run due so that it goes on',
        'leaves an undo that nobody is at for the moment, however often it is cancelled',
        'refuses an undo that would begin once the run is taken from its process',
      ),
    ],
  },
  {
    id: 'ended-runs-end-their-sub-flows',
    promise:
      'A run that is taken up makes no effect when its parent or its job has ended without it.',
    tests: by(
      'src/flow/orphaned-runs.test.ts',
      'leaves no sub-flow that makes effects after its parent is %s, at any depth',
      'benign: sub-flows go on below a parent that goes on or is completed',
    ).concat(by('src/job/threats-left-runs.test.ts', 'leaves no effect that %s makes later')),
  },
  {
    id: 'cancelled-runs-name-their-doubts',
    promise: 'A cancelled run names each call of which nobody knows whether it has taken effect.',
    tests: by(
      'src/crib/members/flows/threats-cut-off-calls.test.ts',
      'names the call that was under way, in its steps and in its graph',
      'names the call of another process that was under way',
      'keeps the doubt about the call that had blocked it',
      'benign: doubts nothing that was on record, or had not begun',
    ),
  },
  {
    id: 'doubtful-calls-are-not-recommended',
    promise: 'A call that may have taken effect after its abort is not recommended a second time.',
    tests: by(
      'src/pipeline/threats-misleading-ends.test.ts',
      'is not recommended again while nobody knows whether it took effect',
      'benign: is said as before where it %s',
    ),
  },
  {
    id: 'an-undo-passes-over-nothing',
    promise: 'The undo of a failed run takes back or names each call that its sub-flows have left.',
    tests: by(
      'src/flow/undo/threats-unmade-undos.test.ts',
      'undoes the calls that a cancelled sub-flow was about to undo and did not',
      'names a call of a blocked and cancelled sub-flow of which nobody knows whether it was made',
      'names a call that was under way when its sub-flow was cancelled',
      'says that nothing of it was undone when its journal %s',
    ),
  },
  {
    id: 'an-undo-happens-once',
    promise:
      'A call is undone once, however many ask for it, and whatever becomes of their processes.',
    tests: by(
      'src/pipeline/undo/threats-repeated-undos.test.ts',
      'runs the undo of the tool once when five ask for it at the same time',
      'is not begun a second time while a tool ignores that its undo was aborted',
      'stays in doubt when its process has died',
      'is not done again when it could not be put on record',
    ),
  },
  {
    id: 'an-undo-is-for-its-machine',
    promise:
      'An undo of what a call did to files is refused on a machine that is not that of the call.',
    tests: by(
      'src/crib/store/undo-elsewhere.test.ts',
      'is refused, changes nothing, and keeps the copy for the machine of the call',
      'is done by another process of the same place, whatever its host is called',
      'is refused when the undo of the tool itself works on files, and done when it does not',
    ),
  },
  {
    id: 'events-are-bounded-and-own',
    promise: 'Events of a run fill no memory, and only those of its user are taken.',
    tests: by(
      'src/flow/events/event-inbox.test.ts',
      'threat: reads no payload but of events that are taken, however many others there are',
      'threat: hands out no event that nobody of this user sent',
    ),
  },
  {
    id: 'lost-answers-leave-nothing-held',
    promise:
      'An answer of PostgreSQL that is lost after its commit leaves no run, key or amount held.',
    tests: by(
      'src/stores/postgres/lost-answers.test.ts',
      'claims runs again whose claim was committed and not answered',
      'claims a run whose creation was committed and not answered',
      'does not take a run from its holder after an earlier claim of it was not answered',
      'frees the idempotency key of a call whose claim was not answered, for the next try',
      'releases what a tool without a price held when it charged and was not answered',
      'closes the intent of a call that never ran when neither it nor its outcome was answered',
    ),
  },
  {
    id: 'a-woken-process-repeats-nothing',
    promise:
      'A process that was silent past its lease and wakes does no call that another has taken.',
    tests: [
      ...by(
        'src/stores/postgres/woken-owners.test.ts',
        'that begins its call while its key is being freed keeps the key: the tool runs once',
        'that begins its call while holds are being recovered keeps its hold, and books what it cost',
      ),
      ...by(
        'src/pipeline/record/reconcile.test.ts',
        'threat: a call whose process may only be silent is unknown, and keeps its key',
      ),
      ...by(
        'src/stores/postgres/ended-owners.test.ts',
        'has ended when its process was killed, not while that is frozen past its lease',
      ),
    ],
  },
  {
    id: 'settings-of-a-server-weaken-nothing',
    promise: 'Settings of a PostgreSQL role make no commit less durable and no write fail.',
    tests: by(
      'src/stores/postgres/server-settings.test.ts',
      'commits with synchronous_commit %s of the role as %s',
      'lets two processes write at once where the role works with %s',
      'warns of a server that syncs nothing, and says what to do',
    ),
  },
  {
    id: 'a-file-stays-locked',
    promise: 'A second store of the same SQLite file takes no lock from the first.',
    tests: by(
      'src/stores/sqlite/second-store.test.ts',
      'the first store of a process keeps its lock on the file when a second one is opened',
      'two stores of one process both write on after another process opened and closed the file',
    ),
  },
];
