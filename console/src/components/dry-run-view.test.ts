import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../api/tool-records.ts';
import { ResultView } from './result-view.tsx';
import { ToastProvider } from './toast.tsx';

const report = {
  verdict: 'ask',
  rule: 'tier-4-external',
  reason: 'Every call of an external service needs approval.',
  estimate: { costMicros: 2000, mostMicros: 5000, tokens: 0, confidence: 'estimate' },
  approvalsNeeded: 1,
  effects: ['publishes \u202Ea note'],
  inspected: [],
  preconditions: {
    results: [
      { type: 'custom', description: 'The disk has room.', critical: false, passed: false },
    ],
  },
};

const drawn = (data: unknown, isDryRun: boolean): string => {
  const metadata = { duration: 1, cost: 0, tokensUsed: 0, cached: false, executionId: 'e' };
  const labels = { trust: 'trusted', sensitivity: 'private' };
  const result = { status: 'success', data, metadata: { ...metadata, labels } };
  const props = { result: result as unknown as ToolResult, isDryRun };
  return renderToStaticMarkup(createElement(ToastProvider, null, createElement(ResultView, props)));
};

describe('the result of a dry run', () => {
  it('is told in words: the verdict, the price, effects and conditions', () => {
    const html = drawn(report, true);
    for (const text of [
      'A person would be asked',
      'tier-',
      'about $0.002, at most $0.005',
      'The disk has room.',
      'degraded',
      'U+202E',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain('costMicros');
  });

  it('is shown as it is when a tool answers in another shape', () => {
    for (const data of [{ ...report, estimate: null }, { verdict: 'allow' }, [], 5, null]) {
      expect(drawn(data, true)).not.toContain('would run');
    }
  });

  it('threat: a tool passes a real call off as a dry run', () => {
    const html = drawn({ ...report, verdict: 'allow' }, false);
    expect(html).not.toContain('Nothing was run');
    expect(html).toContain('costMicros');
  });
});
