import { afterEach, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { aTool, type TestCrib, testCrib } from '../../../../test/fixtures/test-crib.ts';
import { defineFlow } from '../../../contract/define-flow.ts';
import { warnOfJob } from './job-warnings.ts';

let crib: TestCrib | undefined;
afterEach(() => crib?.close());

const input = { type: 'object' as const, properties: { text: { type: 'string' as const } } };

const warningOf = async (type: string, payload: unknown): Promise<string> => {
  crib = await testCrib([
    aTool({ name: 'calculator', input: { ...input, additionalProperties: false } }),
  ]);
  crib.flows.register(defineFlow({ name: 'mailing', version: '1.0.0', run: async () => 1 }));
  const { io, err } = fakeIo();
  await warnOfJob(io, { type, payload }, { crib, as: {} });
  return err();
};

it.each([
  ['tool', { tool: 'calculatr' }, 'knows no tool calculatr; did you mean calculator?'],
  ['tool', { tool: 'calculator', input: { txt: 'a' } }, 'refused now: VALIDATION_ERROR'],
  ['flow', { flow: 'mailng' }, 'knows no flow mailng; did you mean mailing?'],
  ['execute_workflow', { workflowId: 'nope' }, 'knows no flow nope. The job fails unless'],
])('a job of type %s with the payload %j is warned of', async (type, payload, warning) => {
  expect(await warningOf(type, payload)).toContain(warning);
});

it.each([
  ['tool', { tool: 'calculator', input: { text: 'a' } }],
  ['tool', { tool: 'calculator' }],
  ['flow', { flow: 'mailing' }],
  ['report', { tool: 'unheard of' }],
])('nothing is said of a job of type %s with the payload %j', async (type, payload) => {
  expect(await warningOf(type, payload)).toBe('');
});
