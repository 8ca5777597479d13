/** Every promise the project makes, with the tests that prove it. A promise with no test fails. */
import type { Guarantee, Proof } from './architecture/check-guarantees.ts';
import { COMPOSITION_GUARANTEES } from './composition-guarantees.ts';
import { FILE_GUARANTEES } from './file-guarantees.ts';
import { FLOW_GUARANTEES } from './flow-guarantees.ts';
import { GOVERNANCE_GUARANTEES } from './governance-guarantees.ts';
import { REACH_GUARANTEES } from './reach-guarantees.ts';
import { RECOVERY_GUARANTEES } from './recovery-guarantees.ts';

/** Tests of one file, by their titles. */
const by = (file: string, ...names: readonly string[]): readonly Proof[] =>
  names.map((name) => ({ file, name }));

const stage = (name: string, ...names: readonly string[]): readonly Proof[] =>
  by(`src/pipeline/stages/${name}.test.ts`, ...names);

const postgres = (...names: readonly string[]): readonly Proof[] =>
  by('src/stores/postgres/several-processes.test.ts', ...names);

export const GUARANTEES: readonly Guarantee[] = [
  // The pipeline.
  {
    id: 'pipeline-complete',
    promise:
      'A pipeline that leaves out a gate, or has gates in the wrong order, does not compile.',
    tests: by(
      'test/architecture/pipeline-types.test.ts',
      'refuse a missing gate, a wrong order and a stage that forgets to hand the call on',
      'fail in each of the cases and nowhere else once the marks are taken away',
    ),
  },
  {
    id: 'pipeline-order',
    promise: 'The fifteen stages are all there, in the documented order.',
    tests: by(
      'test/architecture/pipeline-drawing.test.ts',
      'is drawn in ARCHITECTURE.md as it stands in governed.ts, every stage in its place',
    ),
  },
  {
    id: 'results-never-thrown',
    promise: 'Whatever a tool throws or rejects with, the caller gets a result with a code.',
    tests: [
      ...stage('execute', '%s becomes a result', 'checks the output against its schema'),
      ...stage('record', 'turns a bug of ours into INTERNAL, with the cause in the log alone'),
      ...stage('govern-result', 'refuses circular results'),
    ],
  },
  {
    id: 'any-input-gives-a-result',
    promise: 'Any input to any tool that ships gives a result with a status and a known code.',
    tests: [
      ...by(
        'test/guarantees/z1-tools.test.ts',
        '%s answers generated inputs with a result',
        '%s answers naughty strings in its fields with a result',
        'validate_json says of every text what the standard says',
        'json_parser and validate_yaml answer for every JSON text',
        'the record of all calls verifies, and no rejection was left unhandled',
      ),
      ...by(
        'src/crib/create-crib.test.ts',
        'answers with a result when the store cannot be opened, and recovers when it can',
      ),
    ],
  },
  {
    id: 'errors-documented',
    promise: 'Every error code is documented as the table of codes defines it.',
    tests: by(
      'test/architecture/errors-doc.test.ts',
      'is what the table of error codes renders to',
    ),
  },
  {
    id: 'input-judged-as-parsed',
    promise: 'Policy judges what was parsed, never what was sent.',
    tests: [
      ...stage('authorize', 'judges what was parsed, never what was sent'),
      ...stage('execute', 'a tool that changes its input does not change the record'),
    ],
  },
  {
    id: 'hostile-formats-refused',
    promise: 'Prototype keys, depth, size and patterns that explode are refused in bounded time.',
    tests: [
      ...stage('validate-input', 'refuses prototype keys at any depth', 'caps size and depth'),
      ...by(
        'src/registry/schema/guard-shape.test.ts',
        'survives nesting of 200,000 levels',
        'refuses the key %s wherever it is',
      ),
      ...by(
        'src/registry/schema/json-schema.test.ts',
        'runs a pattern that explodes elsewhere in linear time',
        'never fetches a $ref',
      ),
    ],
  },
  {
    id: 'no-tool-shadowing',
    promise: 'No tool takes the name of another or passes itself off as built in.',
    tests: [
      ...by(
        'src/registry/load/load-sources.test.ts',
        'lets no stranger take %s',
        'lets no tool pass itself off as built in',
      ),
      ...by(
        'src/registry/registry.test.ts',
        'throws CONFLICT for the same name and version, and keeps the first',
        'lets no alias shadow a real name, whichever came first',
      ),
    ],
  },
  {
    id: 'default-deny',
    promise: 'No verdict, an unknown one and a policy that throws all mean no.',
    tests: [
      ...stage('authorize', '%s means no', 'a caller without the permission is refused'),
      ...by('src/governance/policy/builtin-policy.test.ts', 'denies what it does not know'),
    ],
  },
  {
    id: 'dry-run-runs-nothing',
    promise: 'A dry run walks every gate and runs nothing.',
    tests: [
      ...stage('execute', 'a dry run walks every gate, reports, and runs nothing'),
      ...by('test/e2e/cli.test.ts', 'passes every gate in a dry run and changes nothing'),
    ],
  },
  {
    id: 'no-silent-sandbox-step-down',
    promise: 'A tool that asks for a sandbox which nobody can give is refused, not run without.',
    tests: stage(
      'execute',
      'a tool that asks for a sandbox that is not available is refused, never run without',
    ),
  },

  // The record.
  {
    id: 'refused-calls-recorded',
    promise: 'Refused calls are on record like any other.',
    tests: [
      ...stage('record', 'records refused calls too'),
      ...by(
        'test/e2e/cli-record.test.ts',
        'lists every call with what became of it, refused ones included',
      ),
    ],
  },
  {
    id: 'intent-before-effect',
    promise: 'A call that may change something has its intent on record before its tool starts.',
    tests: stage(
      'execute',
      'puts the intent on record before the tool starts, and the outcome after',
    ),
  },
  {
    id: 'no-unrecorded-result',
    promise: 'A result whose row could not be written is withheld.',
    tests: [
      ...stage('record', 'withholds a result whose row could not be written'),
      ...by(
        'src/kit/sqlite/writer.test.ts',
        'resolves no write before the commit',
        'a full disk: says so, keeps what was there, and goes on when there is room',
        'a read-only file: says so, and goes on when it may write',
        'a lock that stays: gives up with the remedy, and writes when it is gone',
      ),
    ],
  },
  {
    id: 'audit-tampering-found',
    promise: 'Edits and gaps are found, and against a head noted earlier truncation too.',
    tests: [
      ...by(
        'src/governance/audit/verify-audit.test.ts',
        'finds %s, wherever it is',
        'sees a cut-off end only beside a head noted earlier',
        'checks the format that is documented, worked out by hand',
        'raises no alarm on 1,000 clean logs',
      ),
      ...by(
        'test/e2e/cli-record.test.ts',
        'verifies the record and finds a changed row',
        'finds a cut-off end by a head noted before',
      ),
      ...by(
        'test/conformance/store-audit.ts',
        'numbers rows without a gap and chains them',
        'verifies whatever was appended: no false alarm on a clean log',
      ),
      ...by(
        'src/stores/sqlite/open-and-migrate.test.ts',
        'keeps the audit trail append-only against plain SQL',
      ),
    ],
  },
  {
    id: 'crash-leaves-verifying-store',
    promise: 'A process killed in the middle of writes leaves a store that opens and verifies.',
    tests: [
      ...by(
        'src/stores/sqlite/several-processes.test.ts',
        'F3, B2: kills in the middle of writes lose nothing that was acknowledged',
        'append at once to one sound chain, a new file included',
      ),
      ...postgres('F3: killed processes and a killed server lose nothing that was acknowledged'),
      ...by(
        'test/e2e/crash.test.ts',
        'leaves a store that opens, verifies, and has the outcome of each call',
      ),
    ],
  },
  {
    id: 'in-doubt-is-said',
    promise: 'After a crash each call is done, not done or unknown; none is silently run again.',
    tests: [
      ...by(
        'src/pipeline/record/reconcile.test.ts',
        'each call is done, not done or unknown, by what its files say',
        'calls of a living process are left alone',
      ),
      ...by(
        'src/stores/sqlite/several-processes.test.ts',
        'F5: a frozen process keeps its claims, a killed one leaves them in doubt',
      ),
      ...postgres('F5: one of 4 processes is frozen past its lease and woken: no effect twice'),
      ...postgres('F5: a frozen process stops nobody, and loses its claims when its lease is over'),
      ...by(
        'test/conformance/store-persistence.ts',
        'gives everything back, with claims of the closed store in doubt',
      ),
    ],
  },

  // Effects happen once, or can be taken back.
  {
    id: 'retry-repeats-no-effect',
    promise: 'A call whose effect may have happened is not retried unless it is idempotent.',
    tests: [
      ...stage(
        'recover',
        'never repeats an effect that may have happened',
        'fallback: none is tried where the effect may have happened',
      ),
      ...by(
        'src/pipeline/recovery/recovery.test.ts',
        'never repeats an effect that may have happened, unless the tool is idempotent',
      ),
    ],
  },
  {
    id: 'idempotency-replay',
    promise: 'The same idempotency key and input run once, also when they come at once.',
    tests: [
      ...stage(
        'replay',
        'returns the stored result: no second effect',
        'ten calls at once with one key run once',
        'refuses the key for another input, keeps keys of users and tools apart',
        'a failure after a possible effect stands: it is not silently run again',
      ),
      ...by('test/conformance/store-claims.ts', 'lets exactly one of many claims through'),
    ],
  },
  {
    id: 'effects-rolled-back',
    promise: 'When an effect fails, those applied before it are rolled back in reverse.',
    tests: stage(
      'apply-effects',
      'are rolled back in reverse when one fails',
      'a rollback that fails does not keep the others from it',
    ),
  },
  {
    id: 'undo-refuses-when-changed',
    promise:
      'Undo restores what a call changed, and refuses when it was changed since or lies on another machine.',
    tests: [
      ...by(
        'src/pipeline/undo/undo.test.ts',
        'restores what was written, created and removed, in reverse',
        'undo refuses when the file was changed since, and touches nothing',
        'nobody undoes the calls of others, except an owner or admin',
      ),
      ...by('test/e2e/cli-record.test.ts', 'refuses when the file has changed since the call'),
      ...by(
        'src/crib/store/undo-elsewhere.test.ts',
        'is refused, changes nothing, and keeps the copy for the machine of the call',
      ),
    ],
  },
  {
    id: 'authority-of-the-caller',
    promise:
      'Authority comes from the authenticated caller: not from an input, and not from a name it gives itself.',
    tests: [
      ...by(
        'src/pipeline/threats-internal-tools.test.ts',
        'the owner does not find it by name either',
        'a tool that calls it for another user finds no tool, and the file stays',
        'roles in the id or beside it do not make another user an owner',
      ),
      ...by(
        'src/surfaces/http/threats-identity.test.ts',
        'makes 5 of 20 calls at 5 an hour',
        'carries what it has read from one session to the next',
        'is not to be had by an agent under the name of its tool',
      ),
      ...by(
        'src/surfaces/mcp/threats-identity.test.ts',
        'makes 5 of 8 calls at 5 an hour',
        'carries what it has read from one session to the next, and others do not',
      ),
    ],
  },
  {
    id: 'snapshot-before-change',
    promise: 'Nothing is overwritten or removed before its snapshot is kept.',
    tests: by(
      'src/governance/paths/file-access.test.ts',
      'keeps what was there before the first byte changes',
      'changes nothing when the snapshot cannot be kept',
    ),
  },

  // Limits are exact.
  {
    id: 'ledger-is-atomic',
    promise: '1,000 concurrent 0.01 USD calls on 1 USD: exactly 100 pass, in 1 and 4 processes.',
    tests: [
      ...stage(
        'reserve-budget',
        'B1: 1,000 concurrent 0.01 USD calls on a 1 USD budget: exactly 100 admitted',
      ),
      ...by(
        'test/conformance/store-ledger.ts',
        'B1: of 1,000 concurrent calls of 0.01 USD on 1 USD admits exactly 100',
      ),
      ...by(
        'src/stores/sqlite/several-processes.test.ts',
        'B1: 1,000 concurrent calls of 0.01 USD from 4 processes on 1 USD: exactly 100 admitted',
      ),
      ...postgres('B1: 1,000 calls of 0.01 USD from 4 processes on 1 USD: exactly 100 admitted'),
    ],
  },
  {
    id: 'budget-never-overspent',
    promise: 'Held and spent together never pass the limit by admission, whatever the order.',
    tests: [
      ...by(
        'test/conformance/store-ledger.ts',
        'B2: never holds and spends more than the limit, whatever the order of events',
        'holds in all scopes or in none',
        '50 holds that grow at once never pass the limit',
      ),
      ...by(
        'src/pipeline/budget/threats-costs-known-afterwards.test.ts',
        'hostile: of 20 calls at once that can cost 0.05 each, a budget of 0.2 lets 4 run',
        'hostile: a spent budget refuses every further call of a tool that charges',
        'hostile: tokens above a token limit are refused',
      ),
      ...by(
        'src/pipeline/record/reconcile.test.ts',
        'money: a call that began is booked, one that did not is released',
      ),
    ],
  },
  {
    id: 'rate-limit-exact',
    promise: 'A rate limit admits exactly its number under concurrency.',
    tests: [
      ...stage(
        'limit-rate',
        'admits exactly the limit under concurrency, per caller, and says when to come back',
      ),
      ...by('test/conformance/store-claims.ts', 'admits exactly the limit of concurrent hits'),
    ],
  },

  // Approvals.
  {
    id: 'approvals-single-use',
    promise: 'An approval is good once, for the very call it was given for, while it lasts.',
    tests: [
      ...by(
        'test/conformance/store-claims.ts',
        'P1: lets exactly one of many callers use an approval, ever',
        'never replaces a record: a used approval stays used',
      ),
      ...stage(
        'approve',
        'without an approver the call is pending, and runs once it is approved, exactly once',
        'an approval is no good for %s',
        'approvals expire, and a denied one stays denied',
        'deny rules are judged again after the wait',
      ),
    ],
  },
  {
    id: 'approvals-bind-files',
    promise:
      'An approved call acts on the files and folders that the person saw, also those that a shell command names.',
    tests: [
      ...by(
        'src/pipeline/approval/threats-exchanged-files.test.ts',
        'hostile: rm is refused when its folder has become %s',
        'hostile: %s %j is bound to the folder d, however it is spelled',
        'hostile: the command is refused when the content of %s changed before it runs',
        'hostile: %s is refused when the folder is exchanged while the question is open',
        'hostile: nothing is written when the folder is exchanged after the last check',
      ),
    ],
  },
  {
    id: 'no-answer-means-no',
    promise: 'Silence, the end of the input, a cancelled call and nonsense all mean no.',
    tests: [
      ...stage('approve', '%s is a no', 'a call cancelled while it waits does not run'),
      ...by(
        'src/approvers/terminal/create-terminal-approver.test.ts',
        'the end of the input is a no',
        'silence until the request expires is a no',
        'ignores a yes that was typed before the question was shown',
      ),
    ],
  },
  {
    id: 'approver-sees-everything',
    promise: 'The person asked sees the exact input, with every control character made visible.',
    tests: [
      ...by(
        'src/kit/text/visible-text.test.ts',
        'never lets a dangerous character through, and never shows two texts the same way',
      ),
      ...by(
        'src/approvers/terminal/approval-page.test.ts',
        'shows secrets: what hides the command would hide the attack',
        'a line break in a value cannot start a line of the page',
        'cuts a huge field in the middle, states what is hidden and shows all on demand',
      ),
      ...by('test/e2e/cli-terminal.test.ts', 'shows the exact call and runs it after a yes'),
    ],
  },

  ...COMPOSITION_GUARANTEES,
  ...FILE_GUARANTEES,
  ...FLOW_GUARANTEES,
  ...GOVERNANCE_GUARANTEES,
  ...REACH_GUARANTEES,
  ...RECOVERY_GUARANTEES,
];
