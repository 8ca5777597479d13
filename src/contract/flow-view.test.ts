import { describe, expect, it } from 'vitest';
import { stepLabel } from './flow-view.ts';

describe('the label of a step', () => {
  it.each([
    ['its id and what it calls', { key: 'total', name: 'add_up' }, 'total: add_up'],
    ['what it calls, in a flow as code', { key: '3', name: 'add_up' }, 'add_up'],
    ['the step that it undoes', { key: 'undo:rm.i1', name: 'x0mwo82mb9' }, 'undo of step rm.i1'],
  ])('is %s', (_what, step, label) => {
    expect(stepLabel(step)).toBe(label);
  });
});
