/** Makes the tools that read stored results and run code written by a model. */
import type { Catalog } from '../contract/catalog.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Tool } from '../contract/tool.ts';
import type { CodeModeDeps } from '../tools/code-mode/code-mode-deps.ts';
import { createDeclareTools } from '../tools/code-mode/declare-tools.ts';
import { defineRunCode } from '../tools/code-mode/run-code.ts';
import { defineSearchApi } from '../tools/code-mode/search-api.ts';
import { TokenReceipts } from '../tools/code-mode/token-receipt.ts';
import { TypeChecker } from '../tools/code-mode/type-checker.ts';
import { defineReadResult, type ReadResultOptions } from '../tools/results/read-result.ts';

export interface OpenCodeModeDeps extends ReadResultOptions {
  readonly catalog: Catalog;
  readonly sandboxes: Sandboxes;
}

/** The tools that the code surface lists to a model. */
const SHOWN = ['run_code', 'search_api', 'read_result'];

const openSandbox =
  (sandboxes: Sandboxes): CodeModeDeps['openSandbox'] =>
  async () => {
    const sandbox = await sandboxes.get('wasm');
    return {
      run: ({ code, name, config, host, signal }) =>
        sandbox.run({ task: { kind: 'code', code, name, input: null }, config, host, signal }),
    };
  };

/** Makes the tools. Sandbox and type checker start with the first call. */
export const openCodeMode = ({ catalog, sandboxes, read }: OpenCodeModeDeps): readonly Tool[] => {
  const deps: CodeModeDeps = {
    catalog,
    declareTools: createDeclareTools(),
    receipts: new TokenReceipts({ catalog, shown: SHOWN }),
    checker: new TypeChecker(),
    openSandbox: openSandbox(sandboxes),
  };
  return [
    defineReadResult({ read }),
    defineSearchApi(deps),
    defineRunCode(deps),
  ] as readonly Tool[];
};
