import { describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { ToolSettings } from '../tool-settings.ts';
import { Bulkhead } from './bulkhead.ts';
import { createGuards } from './guards.ts';

const guardsWith = () => {
  const settings = { breaker: { failures: 2, restMs: 1000 } } as ToolSettings;
  return createGuards(() => settings, new Bulkhead(10, 10));
};

const toolOf = (name: string) => aTool({ name, server: 'mcp:demo' });

describe('the reset of the guards of a server', () => {
  it('names a tool of the server where only the circuit of the server was open', () => {
    const guards = guardsWith();
    const [one, two] = [guards.guardsOf(toolOf('one')), guards.guardsOf(toolOf('two'))];
    for (const { breakers } of [one, two]) for (const breaker of breakers) breaker.failed(1);
    expect(one.serverBreaker?.isTripped).toBe(true);
    expect(guards.reset('mcp:demo')).toEqual({ tools: [], serverTool: 'one' });
    expect(guards.reset('mcp:demo')).toEqual({ tools: [] });
  });

  it('names the tools whose own circuits were open as well', () => {
    const guards = guardsWith();
    const { breakers } = guards.guardsOf(toolOf('one'));
    for (const breaker of breakers) for (const at of [1, 2]) breaker.failed(at);
    expect(guards.reset('mcp:demo')).toEqual({ tools: ['one'], serverTool: 'one' });
  });

  it('closes nothing of a server that was never called', () => {
    expect(guardsWith().reset('mcp:other')).toEqual({ tools: [] });
  });
});
