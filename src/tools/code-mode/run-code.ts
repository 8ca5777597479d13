/**
 * `run_code`: checks TypeScript of a model and runs it in the wasm sandbox. The code can only call tools,
 * and each call passes the whole pipeline. Only what it returns and prints reaches the model.
 */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { isErrorCode, ToolFailure } from '../../contract/errors.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';
import { textOf } from '../../kit/data/is-text.ts';
import { apiTools } from './api-tools.ts';
import { badCode } from './code-issues.ts';
import { type CodeModeDeps, sessionOf } from './code-mode-deps.ts';
import { CODE_NAME, type CompiledCode, compileCode } from './compile-code.ts';
import { COMMON_DECLARATIONS } from './declare-tools.ts';
import { InnerCalls } from './inner-calls.ts';
import type { TypeVerdict } from './type-checker.ts';

const MAX_CODE = 100_000;
const MAX_CALLS = 200;
const MEMORY_MB = 128;
/** Bytes of the returned value, and of the inputs of tools. */
const MAX_OUTPUT = 8 * 1024 * 1024;
const DEFAULT_MS = 60_000;
const MAX_MS = 600_000;

const input = () =>
  z.strictObject({
    code: z
      .string()
      .min(1)
      .max(MAX_CODE)
      .describe(
        'TypeScript. Call tools with `await tools.<name>(input)`; `return` what you want to see, as little as possible. No imports, no network, no files but through tools.',
      ),
    timeoutMs: z
      .int()
      .min(100)
      .max(MAX_MS)
      .default(DEFAULT_MS)
      .describe('Milliseconds for all of it, inner calls included.'),
  });

const output = () =>
  z.strictObject({
    status: z
      .enum(['completed', 'failed', 'pending'])
      .describe(
        'failed: the code threw or ran into a limit. pending: a person has to approve first.',
      ),
    value: z.unknown().optional().describe('What the code returned.'),
    error: z
      .strictObject({
        code: z.string().describe('The code of the table of errors.'),
        message: z.string().describe('What went wrong.'),
        line: z.int().optional().describe('Where in the code, counted from 1.'),
        column: z.int().optional().describe('Counted from 1.'),
      })
      .optional(),
    approvals: z
      .array(z.strictObject({ approvalId: z.string(), tool: z.string(), expiresAt: z.number() }))
      .optional()
      .describe(
        'The approvals that calls of the code wait for. Once given, the same calls in code that is run again use them.',
      ),
    log: z.string().optional().describe('What the code printed.'),
    calls: z
      .array(
        z.strictObject({
          tool: z.string(),
          ok: z.int(),
          failed: z.int(),
          running: z
            .int()
            .optional()
            .describe(
              'Cancelled when the time of the code was over; they may have had their effect.',
            ),
        }),
      )
      .describe('The calls the code made, by tool. Those that are ok have had their effect.'),
    types: z.string().describe('Whether the types of the code were checked.'),
    receipt: z
      .strictObject({ fullSurface: z.int(), codeSurface: z.int() })
      .describe('Prompt tokens of this session: with all tools in the prompt, and as it was.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;
type Ending = Pick<Output, 'status' | 'value' | 'error' | 'approvals'>;

interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly code: string;
  readonly stack: string;
}

/** Chooses the error code. The engine throws InternalError when memory or stack is exhausted. */
const codeOf = ({ name, code }: Thrown): string => {
  if (isErrorCode(code)) return code;
  return name === 'InternalError' ? 'SANDBOX_ERROR' : 'EXECUTION_FAILED';
};

const thrownError = (thrown: Thrown, { placeIn }: CompiledCode) => {
  const { name, message, stack } = thrown;
  const text = isErrorCode(thrown.code) || name === '' ? message : `${name}: ${message}`;
  return {
    code: codeOf(thrown),
    message: text || 'thrown without a message',
    ...placeIn(stack),
  };
};

/** Describes an end that the sandbox forced. */
const stoppedError = ({ code, message }: ToolFailure, { placeIn }: CompiledCode) => ({
  code,
  message,
  ...placeIn(message),
});

/** Reads an error as plain text: the code can change what its own side sends. */
const readThrown = (reply: object): Thrown => {
  const { name, message, code, stack } = reply as Readonly<Record<string, unknown>>;
  return {
    name: textOf(name),
    message: textOf(message),
    code: textOf(code),
    stack: textOf(stack),
  };
};

const endingOf = (value: unknown, compiled: CompiledCode): Ending => {
  const reply = Object(value) as { readonly value?: unknown; readonly thrown?: object };
  if (reply.thrown) {
    return { status: 'failed', error: thrownError(readThrown(reply.thrown), compiled) };
  }
  return { status: 'completed', ...(reply.value !== undefined && { value: reply.value }) };
};

/** Makes a signal that aborts with the call, or when the run is ended early. */
const stopSignal = (outer: AbortSignal): { signal: AbortSignal; stop(): void } => {
  const own = new AbortController();
  return { signal: AbortSignal.any([outer, own.signal]), stop: () => own.abort() };
};

const runChecked = async (
  { timeoutMs }: Input,
  compiled: CompiledCode,
  { context, deps }: { readonly context: ToolContext; readonly deps: CodeModeDeps },
): Promise<{ readonly ending: Ending; readonly calls: InnerCalls }> => {
  const sandbox = await deps.openSandbox();
  const { signal, stop } = stopSignal(context.signal);
  const calls = new InnerCalls(context, {
    maxCalls: MAX_CALLS,
    onResult: (request, { data, error }) =>
      deps.receipts.note(sessionOf(context), request, data ?? error),
    end: stop,
  });
  const resourceLimits = { memoryMb: MEMORY_MB, outputBytes: MAX_OUTPUT };
  const config = { type: 'wasm', resourceLimits, timeLimit: timeoutMs } as const;
  const run = { code: compiled.text, name: CODE_NAME, config, host: calls, signal };
  const ending = await sandbox.run(run).then(
    async ({ value }) => {
      await calls.settled();
      return endingOf(value, compiled);
    },
    (error: unknown): Ending => {
      if (context.signal.aborted || !(error instanceof ToolFailure)) throw error;
      calls.cancel();
      return { status: 'failed', error: stoppedError(error, compiled) };
    },
  );
  const { approvals } = calls;
  if (approvals.length === 0) return { ending, calls };
  return { ending: { status: 'pending', approvals: [...approvals] }, calls };
};

const typesText = (verdict: TypeVerdict): string =>
  verdict.checked ? 'checked' : `not checked: ${verdict.reason}`;

const runCode = async (
  request: Input,
  context: ToolContext,
  deps: CodeModeDeps,
): Promise<Output> => {
  const tools = apiTools(deps.catalog);
  const compiled = await compileCode(request.code, tools);
  const declarations = `${deps.declareTools(tools)}\n${COMMON_DECLARATIONS}`;
  const verdict = await deps.checker.check(request.code, declarations);
  if (verdict.checked && verdict.issues.length > 0) throw badCode(verdict.issues);
  const { ending, calls } = await runChecked(request, compiled, { context, deps });
  const { log, counts } = calls;
  const answer = { ...ending, ...(log !== '' && { log }), calls: [...counts] };
  const session = sessionOf(context);
  await deps.receipts.add(session, [request, answer]);
  return { ...answer, types: typesText(verdict), receipt: await deps.receipts.of(session) };
};

export const defineRunCode = (deps: CodeModeDeps): Tool<Input, Output> =>
  defineTool({
    name: 'run_code',
    description:
      'Runs TypeScript that calls tools, in a sandbox: loops, filters and joins over many results without any of them entering the prompt. Find the functions with search_api first. Return only what is needed.',
    source: 'builtin',
    category: 'development',
    // The code has no effect by itself: each call it makes is judged by the tier of the called tool.
    tier: 'read_only',
    callsTools: true,
    capabilities: [{ action: 'run', description: 'Run code that calls tools.', tier: 'read_only' }],
    permissions: ['tool:run_code'],
    cost: { model: 'free' },
    timeoutMs: MAX_MS + 60_000,
    // Calls of the first attempt may have had their effects.
    retry: RetryPolicies.NONE,
    sanitize: 'off',
    tags: ['code', 'typescript', 'sandbox', 'batch', 'loop'],
    sandbox: { type: 'wasm', resourceLimits: { memoryMb: MEMORY_MB } },
    sandboxed: true,
    examples: [{ title: 'Compute', input: { code: 'return [1, 2, 3].map((n) => n * 2);' } }],
    input,
    output,
    cleanup: () => deps.checker.close(),
    run: (request, context) => runCode(request, context, deps),
  });
