import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { ExplanationView } from './explanation-view.tsx';
import type { Explanation } from './policy-records.ts';

const explanation = (more: Partial<Explanation['verdict']> = {}): Explanation => ({
  verdict: { effect: 'ask', rule: 'tier-4', reason: 'It leaves this machine.', ...more },
  considered: [
    {
      rule: 'mine',
      effect: 'deny',
      origin: 'policy.yml:3',
      matched: false,
      why: 'it is for other tools',
      shadow: true,
    },
    {
      rule: 'tier-4',
      effect: 'ask',
      origin: 'built in',
      matched: true,
      why: 'everything fits',
      shadow: false,
    },
  ],
});

const drawn = (value: Explanation): string =>
  renderToStaticMarkup(createElement(ExplanationView, value));

describe('an explanation', () => {
  it('says what would happen, who decided, and marks that rule alone', () => {
    const html = drawn(explanation());
    expect(html).toContain('A person would be asked');
    expect(html).toContain('It leaves this machine.');
    expect(html.match(/decided/g)).toHaveLength(1);
    expect(html).toContain('it is for other tools');
  });

  it('tells what rules in shadow mode would have said', () => {
    const shadow = [{ rule: 'trial', effect: 'deny' as const, reason: 'On trial.' }];
    expect(drawn(explanation({ shadow }))).toContain('On trial.');
  });

  it('threat: a reason that hides its meaning by turning the text round', () => {
    const html = drawn(explanation({ reason: 'safe \u202Eterces\u202C' }));
    expect(html).not.toContain('\u202E');
    expect(html).toContain('U+202E');
  });

  it('threat: markup in the name of a rule', () => {
    const html = drawn(explanation({ rule: '<img src=x onerror=alert(1)>' }));
    expect(html).not.toContain('<img');
    expect(html).toContain('&lt;img');
  });
});
