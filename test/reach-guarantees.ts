/** What is promised of everything that comes from outside or leaves this machine, with its proof. */
import type { Guarantee, Proof } from './architecture/check-guarantees.ts';

const by = (file: string, ...names: readonly string[]): readonly Proof[] =>
  names.map((name) => ({ file, name }));

export const REACH_GUARANTEES: readonly Guarantee[] = [
  {
    id: 'sandbox-network',
    promise:
      'A sandboxed program reaches the hosts that its tool declared, at the checked address, and nobody else.',
    tests: by(
      'src/sandboxes/process/threats-network.test.ts',
      'other hosts, addresses, spellings and ports are refused, and no connection is made',
      'names that resolve to private or metadata addresses are refused, also mixed ones',
      'there is no way around the proxy, with its variables or without',
    ),
  },
  {
    id: 'trace-hosts',
    promise:
      'A host learns the trace of a call only when it is this machine, or its user has named it.',
    tests: [
      ...by(
        'src/crib/tracing/trace-hosts.test.ts',
        'threat: %s does not learn the trace unless it is named',
      ),
      ...by(
        'src/pipeline/broker/brokered-fetch.test.ts',
        'carries the trace to hosts that may know it, and has a span for all',
      ),
      ...by(
        'src/sources/grpc/call/call-span.test.ts',
        'threat: a server that is not named for it does not learn the trace',
      ),
    ],
  },
  {
    id: 'wasm-memory',
    promise: 'Code in the wasm sandbox gets no more memory than its limit names.',
    tests: by(
      'src/sandboxes/wasm/create-wasm-sandbox.test.ts',
      'threat: code that makes 60 MB of %s is stopped at a limit of 16 MB',
    ),
  },
  {
    id: 'git-remotes',
    promise:
      'Git sends commits to the https address that was approved, and no remote, option or setting makes it run a program.',
    tests: by(
      'src/tools/development/git-remote.test.ts',
      'a push goes to the address that was approved, whatever insteadOf makes of the remote',
      '%s is refused, and runs nothing',
      '%j is refused before git starts',
      'a credential helper or hook of the repository does not run',
    ),
  },
  {
    id: 'uncommitted-work',
    promise: 'No shell command of git replaces uncommitted work that undo cannot bring back.',
    tests: by(
      'src/tools/development/in-the-sandbox.test.ts',
      '%s is refused, and names the tool whose checkout can be undone',
      'T7: uncommitted work that a checkout overwrites is brought back by undo',
    ),
  },
  {
    id: 'sandbox-level',
    promise: 'An isolation level that this machine cannot give is an error, never a step down.',
    tests: [
      ...by(
        'src/governance/isolation.test.ts',
        'threat: a machine without the level refuses, and says what to install',
        'threat: a stronger sandbox that is missing is not replaced by the accepted weaker one',
      ),
      ...by(
        'src/pipeline/broker/brokered-exec.test.ts',
        'threat: programs of a paranoid caller never run in less than a container',
      ),
    ],
  },
  {
    id: 'packages-unpacked',
    promise:
      'An archive with a link, a device, a path that leads out, names that collide or a bomb in it is refused as a whole, and writes nothing.',
    tests: [
      ...by(
        'src/kit/archive/read-tarball.test.ts',
        'threat: an archive with an entry that %s is refused',
        'threat: two entries with %s are refused',
        'threat: bombs are refused before they are unpacked',
      ),
      ...by(
        'src/cli/commands/packages/packages-commands.test.ts',
        'threat: a hostile archive writes nothing outside, and nothing inside',
      ),
    ],
  },
  {
    id: 'packages-pinned',
    promise:
      'No script of a package is run, and an installed package whose files were changed has no tools.',
    tests: [
      ...by(
        'src/crib/packages/packages.test.ts',
        'is installed without its scripts, and its tool runs in the sandbox of the user',
        'is taken at the named tag, without its scripts',
        'threat: is refused with the reason once one of its files was changed',
      ),
      ...by(
        'test/e2e/package-crash.test.ts',
        'keeps the version before, and the next installation works',
      ),
    ],
  },
  {
    id: 'definitions-pinned',
    promise:
      'A tool from outside that is new, changed or flagged cannot be called, and no model sees it, before a person accepts it.',
    tests: [
      ...by(
        'src/crib/open-tool-lock.test.ts',
        'cannot be called before it is accepted, and can afterwards',
        'threat: a cloned repository cannot accept its own poisoned tools before it is trusted',
        'threat: a project whose lock was changed by a pull is no longer trusted',
      ),
      ...by(
        'src/registry/lock/create-tool-lock.test.ts',
        'what was accepted is what was seen: a definition swapped at the prompt is not',
        'no model sees a held tool, by list, search or suggestion; a person does',
        'a name that looks like that of another source is flagged',
      ),
      ...by(
        'src/registry/lock/scan/threats-poisoning.test.ts',
        'benign definitions, most of them of real servers, pass: at least 98 of 100',
      ),
    ],
  },
  {
    id: 'servers-confined',
    promise:
      'An MCP server with a sandbox reads, writes and reaches only what it was given, and leaves nothing behind.',
    tests: by(
      'src/sources/mcp/threats-confined.test.ts',
      'reads nothing outside what it was shown; unconfined it does',
      'writes where it may, and nowhere else; unconfined it does',
      'reaches nobody without hosts; unconfined it does',
      'is never given up silently',
    ),
  },
  {
    id: 'client-approvals',
    promise:
      'An MCP client approves only by an explicit yes to the call that is asked about, in its own session, once.',
    tests: by(
      'src/surfaces/mcp/threats-approvals.test.ts',
      'runs the call after an explicit yes, once, and records who said it',
      'gives no approval of one session to another',
      'is refused when it was edited, made up or cut',
      'is refused from another user, for another input, and after a surface with another key',
    ),
  },
  {
    id: 'code-mode',
    promise: 'Code that a model writes has no power but calls that pass the whole pipeline.',
    tests: by(
      'src/tools/code-mode/run-code.test.ts',
      'every inner call is recorded like any other',
      'a caller without the permission is refused inside as it is outside',
      'code cannot run code, nor reach the context past the tools',
    ),
  },
  {
    id: 'permissions-listed',
    promise: 'A caller who was given a list of permissions holds nothing beside it.',
    tests: by(
      'src/governance/policy/rights.test.ts',
      'a tool that names no permission needs the one of its name',
    ),
  },
  {
    id: 'slow-connections',
    promise: '500 slow connections leave normal calls below a second, and are cut.',
    tests: by(
      'test/guarantees/h1-http.test.ts',
      '500 of them leave normal calls below a second, and are all cut',
    ),
  },
  {
    id: 'http-login',
    promise: 'Console codes are good once, tokens are kept as hashes and end when revoked.',
    tests: by(
      'src/surfaces/http/threats-login.test.ts',
      'is valid once, and gives a session that needs the cookie for reading',
      'is shown once; only its hash is kept',
      'is refused at once when it is revoked',
      'is never one that the browser brought along (session fixation)',
    ),
  },
  {
    id: 'framework-steps',
    promise: 'A step that an agent framework runs again does not act twice.',
    tests: by('test/conformance/adapter.ts', 'threat: a step that is run again does not act twice'),
  },
  // Servers.
  {
    id: 'servers-contained',
    promise:
      'An MCP server that dies, hangs or floods ends its call in time, breaks no other, leaves nothing.',
    tests: [
      ...by(
        'test/guarantees/f6-servers.test.ts',
        '%s: the call ends in time with a code, the server works again, nothing is left',
      ),
      ...by(
        'src/sources/mcp/stdio/child-group.test.ts',
        'a server that is ended takes its children with it, also one that left its group',
        'kill -9 of the host ends its servers, their children and those that left the group',
        'a host killed before it could tell anybody leaves no server: the gate never opens',
      ),
      ...by(
        'src/sources/mcp/create-mcp-servers.test.ts',
        'a server gets what is configured and what programs cannot do without',
        'a hint of the server lowers nothing; the user says how risky a tool is',
        'a schema that points elsewhere is refused, one that points into itself is not',
        'a server that hangs or is not there keeps nobody waiting longer than it may',
      ),
    ],
  },
];
