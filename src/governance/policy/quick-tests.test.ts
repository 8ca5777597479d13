import { describe, expect, it } from 'vitest';
import { ask, someCaller, someTool } from '../../../test/fixtures/policy-question.ts';
import { compileCondition } from './compile-condition.ts';

const tool = someTool({ name: 'mail', source: 'mcp', category: 'service', tier: 'external_api' });
const question = ask({
  tool,
  capability: { action: 'send', description: '', destructive: true },
  caller: someCaller({ userId: 'u', agentId: 'a', sessionId: 's' }),
  flow: { untrusted: true, sensitivity: 'public' },
});
const other = ask({ tool: someTool() });

describe('parts of a condition that need no CEL', () => {
  it.each([
    'sink',
    'destructive',
    'flow.untrusted',
    'tier == "external_api"',
    'tool.name == "mail"',
    'tool.source == "mcp"',
    'tool.category == "service"',
    'caller.user == "u"',
    'caller.agent == "a"',
    'caller.session == "s"',
  ])('%s: holds for the one call and not for the other, alone and with more', (part) => {
    for (const text of [part, `true && ${part}`, `${part} && (action == "send" || action == "")`]) {
      expect(compileCondition(text).holds(question)).toBe(true);
      expect(compileCondition(text).holds(other)).toBe(false);
    }
  });

  it('one that is false outweighs a part that fails, on either side, as in CEL', () => {
    for (const text of ['input.x.y == 1 && sink', 'sink && input.x.y == 1']) {
      expect(compileCondition(text).holds(other)).toBe(false);
      expect(() => compileCondition(text).holds(question)).toThrow();
    }
  });

  it('are not taken from an "or", a "not" or a comparison of two names', () => {
    expect(compileCondition('sink || true').holds(other)).toBe(true);
    expect(compileCondition('!sink').holds(other)).toBe(true);
    expect(compileCondition('tool.name == tool.name').holds(other)).toBe(true);
    expect(compileCondition('"t" == tool.name').holds(other)).toBe(true);
  });
});
