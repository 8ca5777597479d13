/**
 * Test cases for a policy: the file format, the question that a case asks, and their evaluation.
 */
import { z } from 'zod';
import { type Caller, LOCAL_CALLER } from '../../../contract/caller.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import {
  NOTHING_SEEN,
  type Policy,
  type PolicyQuestion,
  type RuleEffect,
  type Verdict,
} from '../../../contract/policy.ts';
import { type Capability, TIERS, type Tool } from '../../../contract/tool.ts';
import { capabilityInUse, tierInUse } from '../capability.ts';
import { invalidDocument, itemsOf, repeatedNames, schemaProblems } from './document-problems.ts';
import { locate, readDocument } from './parse-policy.ts';
import { ISOLATIONS } from './policy-document.ts';

const strings = z.array(z.string());

const callerSchema = z.strictObject({
  user: z.string().optional(),
  agent: z.string().optional(),
  session: z.string().optional(),
  loop: z.string().optional(),
  roles: strings.optional(),
  permissions: strings.optional(),
  isolation: z.enum(ISOLATIONS).optional(),
});

const flowSchema = z.strictObject({
  untrusted: z.boolean().optional(),
  sensitivity: z.enum(['public', 'private', 'secret']).optional(),
});

const callSchema = z.strictObject({
  tool: z.string().min(1, 'must not be empty'),
  tier: z.enum(TIERS).optional(),
  action: z.string().optional(),
  input: z.unknown().optional(),
  caller: callerSchema.optional(),
  flow: flowSchema.optional(),
  at: z.iso.datetime('must be a time such as 2026-01-31T12:00:00Z').optional(),
});

const caseSchema = z.strictObject({
  name: z.string().min(1, 'must not be empty'),
  call: callSchema,
  expect: z.enum(['allow', 'ask', 'deny']),
  rule: z.string().optional(),
});

const casesSchema = z.strictObject({
  tests: z.array(caseSchema).min(1, 'must not be empty'),
});

export type PolicyCase = z.infer<typeof caseSchema>;
export type PolicyCall = z.infer<typeof callSchema>;

const KEYS: readonly string[] = [caseSchema, callSchema, callerSchema, flowSchema].flatMap(
  ({ shape }) => Object.keys(shape),
);

/** Parses a file of cases. Throws `CONFIG_INVALID` with every problem and its position. */
export const parsePolicyCases = (text: string, file: string): readonly PolicyCase[] => {
  const reading = readDocument(text, file);
  const problems = [
    ...schemaProblems(casesSchema, reading.value, ['tests', ...KEYS]),
    ...repeatedNames(itemsOf(reading.value, 'tests'), 'tests'),
  ];
  if (problems.length > 0) throw invalidDocument(locate(problems, reading, file));
  return (reading.value as z.infer<typeof casesSchema>).tests;
};

const callerOf = (caller: NonNullable<PolicyCall['caller']>): Caller => ({
  userId: caller.user ?? LOCAL_CALLER.userId,
  agentId: caller.agent ?? LOCAL_CALLER.agentId,
  sessionId: caller.session ?? LOCAL_CALLER.sessionId,
  loopId: caller.loop ?? LOCAL_CALLER.loopId,
  roles: caller.roles ?? LOCAL_CALLER.roles,
  permissions: caller.permissions ?? LOCAL_CALLER.permissions,
  isolation: caller.isolation ?? LOCAL_CALLER.isolation,
});

const capabilityOf = ({ action, input }: PolicyCall, tool: Tool): Capability | undefined => {
  if (action === undefined) return capabilityInUse(tool, input);
  const declared = tool.capabilities.find((capability) => capability.action === action);
  if (declared) return declared;
  throw new ToolFailure('VALIDATION_ERROR', `The tool ${tool.name} has no action ${action}.`);
};

/**
 * Makes the question of a case about a tool. Omitted parts are those of the local owner, at `now`.
 * Throws when the tool does not have the action.
 */
export const questionOf = (call: PolicyCall, tool: Tool, now: number): PolicyQuestion => {
  const capability = capabilityOf(call, tool);
  return {
    tool,
    tier: call.tier ?? tierInUse(tool, capability),
    capability,
    input: call.input ?? {},
    caller: callerOf(call.caller ?? {}),
    now: call.at === undefined ? now : Date.parse(call.at),
    flow: {
      untrusted: call.flow?.untrusted ?? NOTHING_SEEN.untrusted,
      sensitivity: call.flow?.sensitivity ?? NOTHING_SEEN.sensitivity,
    },
  };
};

export interface PolicyTestResult {
  readonly name: string;
  readonly passed: boolean;
  readonly expected: RuleEffect;
  /** Absent when the case could not be judged. */
  readonly verdict?: Verdict;
  /** What to tell the reader. */
  readonly message: string;
}

export interface PolicyTestReport {
  readonly passed: number;
  readonly failed: number;
  readonly results: readonly PolicyTestResult[];
}

const isExpected = ({ expect, rule }: PolicyCase, verdict: Verdict): boolean =>
  verdict.effect === expect && (rule === undefined || verdict.rule === rule);

const messageOf = ({ expect, rule }: PolicyCase, verdict: Verdict, passed: boolean): string => {
  const got = `${verdict.effect} by ${verdict.rule}`;
  if (passed) return got;
  return `expected ${expect}${rule === undefined ? '' : ` by ${rule}`}, got ${got}: ${verdict.reason}`;
};

/** Runs the cases. One that cannot be judged, e.g. without its tool, has failed. */
export const runPolicyTests = (
  policy: Policy,
  cases: readonly PolicyCase[],
  questionOf: (call: PolicyCall) => PolicyQuestion,
): PolicyTestReport => {
  const results = cases.map((testCase): PolicyTestResult => {
    const { name, expect: expected } = testCase;
    try {
      const verdict = policy.judge(questionOf(testCase.call));
      const passed = isExpected(testCase, verdict);
      return { name, passed, expected, verdict, message: messageOf(testCase, verdict, passed) };
    } catch (error) {
      const message = error instanceof ToolFailure ? error.message : 'the case could not be judged';
      return { name, passed: false, expected, message: message };
    }
  });
  const passed = results.filter((result) => result.passed).length;
  return { passed, failed: results.length - passed, results };
};
