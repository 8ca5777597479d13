import { describe, expect, it } from 'vitest';
import type { ApprovalRecord } from '../../api/call-records.ts';
import { questionText } from './question-text.ts';

const asked = (tool: string, input: unknown) => ({
  tool,
  summary: 'a summary',
  request: { input } as ApprovalRecord['request'],
});

describe('the text of a question', () => {
  it('a question of a flow is called by its words and leads to the run', () => {
    const input = { flow: 'sums', runId: 'x1', question: 'Publish the sums?' };
    expect(questionText(asked('toolcrib:confirm', input))).toEqual({
      title: 'Publish the sums?',
      note: 'flow sums',
      href: '#/flows/run/x1',
    });
  });

  it('a question of a flow says what its run was given, which tells it from those of other runs', () => {
    const input = { flow: 'sums', runId: 'x1', question: 'Publish?', input: '{"topic":"bees"}' };
    expect(questionText(asked('toolcrib:confirm', input)).note).toBe(
      'flow sums · {"topic":"bees"}',
    );
  });

  it('the plan of a flow is called by the flow', () => {
    const { title, href } = questionText(asked('toolcrib:plan', { flow: 'sums' }));
    expect([title, href]).toEqual(['All calls of sums', '#/flows/start/sums']);
  });

  it('any other question is called by its tool, whatever its input says', () => {
    const input = { flow: 'sums', question: 'Is it safe?' };
    expect(questionText(asked('publish_note', input))).toEqual({
      title: 'publish_note',
      note: 'a summary',
      href: '#/tools/publish_note',
    });
  });
});
