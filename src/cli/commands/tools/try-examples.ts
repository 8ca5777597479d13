/** Tries the examples of tools one after another, until all are done or the user interrupts. */
import type { Crib } from '../../../contract/crib.ts';
import type { ToolResult } from '../../../contract/result.ts';
import type { Tool, ToolExample } from '../../../contract/tool.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import type { ProgressLine } from '../../output/progress-line.ts';

interface Difference {
  /** A JSON Pointer; empty for the whole result. */
  readonly path: string;
  readonly expected: unknown;
  /** `undefined` when the result has no such value. */
  readonly actual: unknown;
}

const pointer = (key: string | number): string =>
  `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const below = (differences: readonly Difference[], key: string | number): readonly Difference[] =>
  differences.map((difference) => ({ ...difference, path: `${pointer(key)}${difference.path}` }));

/** Compares a result with an example. An object may have more fields; a list has exactly as many items. */
export const exampleDifferences = (expected: unknown, actual: unknown): readonly Difference[] => {
  if (isRecord(expected) && isRecord(actual)) {
    return Object.keys(expected).flatMap((key) => {
      const value = Object.hasOwn(actual, key) ? actual[key] : undefined;
      return below(exampleDifferences(expected[key], value), key);
    });
  }
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    return expected.flatMap((item, index) => below(exampleDifferences(item, actual[index]), index));
  }
  return Object.is(expected, actual) ? [] : [{ path: '', expected, actual }];
};

export interface Outcome {
  readonly tool: string;
  readonly title: string;
  readonly passed: boolean;
  readonly status: ToolResult['status'];
  readonly durationMs: number;
  readonly differences: readonly Difference[];
  readonly error?: ToolResult['error'];
}

export interface TrialOptions {
  /** Stops the running example, and all after it. */
  readonly signal: AbortSignal;
  /** Shows that an example is running; absent without a terminal. */
  show?(label: string): ProgressLine;
}

export interface NamedExample {
  readonly tool: Tool;
  readonly example: ToolExample;
}

const tryExample = async (
  crib: Pick<Crib, 'execute'>,
  { tool, example: { title, input, output } }: NamedExample,
  { signal, show }: TrialOptions,
): Promise<Outcome> => {
  const line = show?.(`${tool.name}: ${title}`);
  try {
    const result = await crib.execute(tool.name, input, {
      signal,
      onProgress: (fraction, message) => line?.update(fraction, message),
    });
    const { success, status, data, error, metadata } = result;
    const promised = success && output !== undefined;
    const differences = promised ? exampleDifferences(output, data) : [];
    return {
      tool: tool.name,
      title,
      passed: success && differences.length === 0,
      status,
      durationMs: metadata.duration,
      differences,
      ...(error && { error }),
    };
  } finally {
    line?.stop();
  }
};

export const tryExamples = async function* tryExamples(
  crib: Pick<Crib, 'execute'>,
  examples: readonly NamedExample[],
  trial: TrialOptions,
): AsyncGenerator<Outcome, void> {
  for (const example of examples) {
    if (trial.signal.aborted) return;
    yield await tryExample(crib, example, trial);
  }
};
