/** What the tools of code mode share. */
import type { ToolContext } from '../../contract/context.ts';
import type { SandboxConfig, SandboxHost, SandboxOutcome } from '../../contract/sandbox.ts';
import type { ApiCatalog } from './api-tools.ts';
import type { DeclareTools } from './declare-tools.ts';
import type { TokenReceipts } from './token-receipt.ts';
import type { TypeChecker } from './type-checker.ts';

export interface SandboxedCode {
  /** An ES module; its export `run` gets `(input, context)`. */
  readonly code: string;
  readonly name: string;
  readonly config: SandboxConfig;
  readonly host: SandboxHost;
  readonly signal: AbortSignal;
}

export interface CodeModeDeps {
  readonly catalog: ApiCatalog;
  readonly declareTools: DeclareTools;
  readonly receipts: TokenReceipts;
  readonly checker: TypeChecker;
  /** Opens the sandbox. Rejects with SANDBOX_ERROR when this machine has none. */
  openSandbox(): Promise<{ run(code: SandboxedCode): Promise<SandboxOutcome> }>;
}

/** Names the session of a receipt: there is one for each session of each user. */
export const sessionOf = ({ userId, sessionId }: ToolContext): string =>
  JSON.stringify([userId, sessionId]);
