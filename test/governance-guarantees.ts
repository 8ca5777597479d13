/** What the layer that says no promises: one entry for each class of threat and each figure. */
import type { Guarantee, Proof } from './architecture/check-guarantees.ts';

const by = (file: string, ...names: readonly string[]): readonly Proof[] =>
  names.map((name) => ({ file, name }));

const suite = (name: string, ...names: readonly string[]): readonly Proof[] =>
  by(`test/guarantees/${name}.test.ts`, ...names);

const THREATS: readonly Guarantee[] = [
  {
    id: 'threat-left-behind',
    promise: 'What a tool leaves behind ends with its call, before the outcome is on record.',
    tests: by(
      'src/pipeline/threats-late-work.test.ts',
      'hostile: a write that has not begun when the call fails is never made',
      'hostile: a write that has begun %i turns before the call fails is not recorded as not done',
      'hostile: an inner call that a failed %s call left behind changes nothing after its outcome',
      'hostile: every request that it makes later is refused, and none of them ends the process',
      'hostile: what it charges later is not held',
      'benign: calls and writes that a tool waits for are done, also in its effects',
    ),
  },
  {
    id: 'threat-silent-code',
    promise: 'A tool or an approver that never settles keeps neither its call nor the crib open.',
    tests: by(
      'src/pipeline/threats-silent-code.test.ts',
      'hostile: in initialize, the call ends in time, and close ends',
      'hostile: in an effect, the result says that it may still come',
      'hostile: close leaves its question to the inbox, tells it, and ends',
      'benign: one that takes its time is heard',
    ),
  },
  {
    id: 'threat-server-reads',
    promise:
      'Resources, prompts, completions and subscriptions of MCP servers are governed like calls of their tools.',
    tests: by(
      'src/crib/members/threats-server-reads.test.ts',
      'hostile: a caller with a list of tools reads nothing of a server that its list does not name',
      'hostile: what was read cannot be sent on unasked, and is on record',
      'hostile: a surface that is limited to one server hands nothing out of the others',
      'hostile: neither role nor grant nor the permissions of the program replace the name on the list',
      'hostile: words do not leave in a subscription, nor in the name of a prompt',
      'hostile: a client does not join the subscription of another that may read what it may not',
      'benign: a caller whose list names the server reads it',
    ),
  },
  {
    id: 'threat-unlisted-flows',
    promise:
      'A caller with a list of tools neither starts nor plans flows that it does not name, and each attempt is on record.',
    tests: by(
      'src/crib/members/flows/threats-unlisted-flows.test.ts',
      'hostile: nobody %s it, and the attempt is on record',
      'benign: a caller whose list names it plans it, asks about it and starts it',
    ),
  },
  {
    id: 'stores-that-came-along-do-not-count',
    promise:
      'A database that came with a project is not copied unless the user says that it is foreign.',
    tests: by(
      'src/crib/store/locate-source.test.ts',
      'hostile: a file of the project that the user names is refused unless it is said to be foreign',
      'threat: is refused unless it is said to be foreign: %s',
      'is the one that the user made in that project, with its identity',
    ),
  },
  {
    id: 'threat-approvals',
    promise: 'A forged, stale, replayed or foreign approval runs nothing.',
    tests: by(
      'src/pipeline/approval/threats-approvals.test.ts',
      'benign: what was approved runs, once, and the trail says who agreed',
      'hostile: the approval does not count when the call changes after it: %s',
      'hostile: an approval after its expiry does not run the call',
      'hostile: a "yes" in the input of the call does not approve it',
      'hostile: approvals and grants in it do not count',
      'hostile: a link that was used, replaced, forged or has no call answers nothing',
      'hostile: the edited input passes all gates like any other',
      'hostile: it ends when the definition of the tool changes',
      'hostile: the call is refused when the link leads elsewhere after the approval',
      'hostile: a tool cannot write another file than the one that was shown',
    ),
  },
  {
    id: 'threat-shell',
    promise: 'A command is parsed in full and allowed part by part, or refused.',
    tests: [
      ...by(
        'src/governance/commands/threats-shell.test.ts',
        'has enough of both',
        'refuses all of: %s',
        'accepts all of: %s',
        'refuses %s in bounded time',
      ),
    ],
  },
  {
    id: 'threat-paths',
    promise: 'No path, link or race leads a file tool outside the root or to a protected name.',
    tests: by(
      'src/governance/paths/threats-paths.test.ts',
      'refuses all paths that leave the root by their text',
      'refuses a link to a file, a folder, a link, and through a linked folder',
      'never writes through a second name of a file outside',
      'never writes %j',
      'never writes or removes the canary, and never reads it through a link',
      'writes, reads, lists and removes %j',
    ),
  },
  {
    id: 'threat-egress',
    promise: 'No spelling, answer or redirect leads a request to an address that is not allowed.',
    tests: by(
      'src/governance/egress/threats-egress.test.ts',
      'no hostile URL has reached a canary',
      '%s is public',
    ),
  },
  {
    id: 'threat-data-flow',
    promise: 'Untrusted content, private data and a way out do not meet without a person.',
    tests: by(
      'src/pipeline/threats-data-flow.test.ts',
      'benign: a sink after %s runs without a question',
      'hostile: a sink after %s asks a person, whatever a rule allows',
      'hostile: secret data is never sent, not even without untrusted data',
      'hostile: reading and sending in two processes is asked',
      'hostile: a tool from outside cannot call its own results trusted',
      'a result is withheld while its labels cannot be recorded, and taints nothing',
    ),
  },
  {
    id: 'threat-budgets',
    promise: 'No limit of money, calls or tokens is exceeded by calls that come at once.',
    tests: by(
      'src/pipeline/budget/threats-budgets.test.ts',
      'hostile: of 100 calls at once, a limit of 10 on %s lets 10 run',
      'benign: the limits of one caller do not count for another',
      'hostile: the same call too often is stopped, and a person is not asked about it',
    ),
  },
  {
    id: 'threat-injection',
    promise: 'What looks like an attack in an input is refused, prose about attacks is not.',
    tests: by(
      'src/governance/inspection/threats-injection.test.ts',
      'refuses all hostile cases and no benign one',
    ),
  },
  {
    id: 'threat-repository-config',
    promise: 'A cloned project changes nothing before it is trusted, and never widens afterwards.',
    tests: [
      ...by(
        'src/trust/project-trust.test.ts',
        'changes nothing: no server, no root, no policy, no rule',
        'counts, and still only narrows',
        'keeps what was trusted in force once a file changed, came or went, and says which',
        'reads each file once: a swap after the hash has no effect',
      ),
      ...by(
        'test/e2e/cli-trust.test.ts',
        'is asked about once, with the full command it would run, and Enter means no',
        'is ignored with one note, and --json stays one document',
      ),
    ],
  },
  {
    id: 'permissions',
    promise:
      'A permission is held by those it was given to, until it ends, and never beats a deny.',
    tests: by(
      'src/pipeline/stages/authorize.test.ts',
      'are held by callers that name none, and by callers to whom they were granted',
      'can be granted, all of those that the tool names, until they are revoked',
      'end with their time and depend on their condition',
      'never beat a deny',
      'are refused with %s',
    ),
  },
];

const FIGURES: readonly Guarantee[] = [
  {
    id: 'B1',
    promise: 'Of 1,000 calls of 0.01 USD at once on 1 USD exactly 100 are admitted.',
    tests: suite(
      'b1-b2-budgets',
      'from %d processes: exactly 100 are admitted, nothing is overspent',
    ),
  },
  {
    id: 'B2',
    promise: 'With failures, time-outs and kills nothing is overspent or held for ever.',
    tests: suite(
      'b1-b2-budgets',
      'settled and held are never above the limit, and nothing is held at the end',
    ),
  },
  {
    id: 'P1',
    promise: 'Nothing runs without a matching, live, unused approval.',
    tests: suite(
      'p1-approvals',
      'in any sequence of asking, deciding, editing, forging, redeeming, changing and waiting',
      'when all of that happens at once',
    ),
  },
  {
    id: 'Z1',
    promise: 'Whatever a tool is given, it answers with a result.',
    tests: suite(
      'z1-tools',
      'the suite has enough inputs',
      '%s answers naughty strings in its fields with a result',
      'the record of all calls verifies, and no rejection was left unhandled',
    ),
  },
  {
    id: 'Z2',
    promise: 'The policy engine equals a reference model: deny wins, silence is a no.',
    tests: suite(
      'z2-policy',
      'are judged as the model judges them',
      'are never judged more mildly because of a project',
      'are denied when any rule that counts denies, and when no rule fits',
    ),
  },
  {
    id: 'A1',
    promise:
      'Tampering with the trail is found beside the last checkpoint; clean ones raise no alarm.',
    tests: suite(
      'a1-audit',
      'finds %s, every time',
      'finds a checkpoint that was edited or signed by somebody else, every time',
      'raise no alarm, whatever produced them',
    ),
  },
  {
    id: 'A3',
    promise: 'A known secret, or a value under the name of one, comes out of no channel.',
    tests: [
      ...suite(
        'a3-secrets',
        'the database and its log on disk: no raw hit',
        'benign: at most 1 % of ordinary texts are altered',
      ),
      ...suite(
        'a3-names',
        'plain names keep their values in results, records and JSON texts',
        'colours and zero-width characters that hide nothing stay',
      ),
    ],
  },
  {
    id: 'F2',
    promise: 'A crash at any point of a call duplicates no effect and flags what is in doubt.',
    tests: suite(
      'f2-failpoints',
      'duplicates no effect of a call with an idempotency key, and flags one in doubt',
      'without a key: every call in doubt ends unknown, and none runs again by itself',
    ),
  },
  {
    id: 'F3',
    promise: 'Every copy of the store opens, its chain is sound, and no effect lacks its intent.',
    tests: suite(
      'f3-copies',
      'all open, all chains are valid, and no effect is without its intent',
    ),
  },
  {
    id: 'F4',
    promise: 'Storage that fails leaves no effect off the record, and work goes on without help.',
    tests: suite(
      'f4-storage',
      'a full disk: structured errors, no effect off the record, recovery without help',
      'a read-only disk: structured errors, no effect off the record, recovery without help',
      'a locked database: structured errors, no effect off the record, recovery without help',
    ),
  },
];

export const GOVERNANCE_GUARANTEES: readonly Guarantee[] = [...THREATS, ...FIGURES];
