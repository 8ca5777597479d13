import { describe, expect, it } from 'vitest';
import { someTool } from '../../../test/fixtures/policy-question.ts';
import type { Capability } from '../../contract/tool.ts';
import { capabilityInUse, isDelicate, isSink, tierInUse } from './capability.ts';

const DELETE: Capability = { action: 'delete', description: '', destructive: true };
const READ: Capability = { action: 'read', description: '', tier: 'read_only' };
const RUN: Capability = { action: 'run', description: '', tier: 'execute' };
const files = someTool({ tier: 'write', actionField: 'operation', capabilities: [READ, DELETE] });

describe('the capability in use', () => {
  it('is chosen by the action field, and sets the tier', () => {
    expect(capabilityInUse(files, { operation: 'read' })).toBe(READ);
    expect(tierInUse(files, READ)).toBe('read_only');
    expect(tierInUse(files, DELETE)).toBe('write');
  });

  it('is the only one where there is one', () => {
    expect(capabilityInUse(someTool({ capabilities: [READ] }), {})).toBe(READ);
    expect(capabilityInUse(someTool({ capabilities: [READ, RUN] }), {})).toBeUndefined();
  });

  it.each([
    ['a name of the prototype', { operation: 'constructor' }],
    ['an inherited field', Object.create({ operation: 'read' })],
    ['text', 'read'],
    ['null', null],
    ['nothing', {}],
  ])('is unknown for %s', (_what, input) => {
    expect(capabilityInUse(files, input)).toBeUndefined();
  });

  it('counts as the most dangerous one when it is unknown', () => {
    expect(tierInUse(someTool({ tier: 'write', capabilities: [READ, RUN] }), undefined)).toBe(
      'execute',
    );
    expect(tierInUse(files, undefined)).toBe('write');
    expect(isDelicate(files, undefined)).toBe(true);
  });
});

describe('delicate', () => {
  it('is a call that destroys or requires confirmation', () => {
    const confirmed: Capability = { action: 'x', description: '', requiresConfirmation: true };
    expect(isDelicate(files, DELETE)).toBe(true);
    expect(isDelicate(files, confirmed)).toBe(true);
    expect(isDelicate(files, READ)).toBe(false);
    expect(isDelicate(someTool({ capabilities: [READ, confirmed] }), undefined)).toBe(true);
    expect(isDelicate(someTool({ capabilities: [READ] }), undefined)).toBe(false);
  });
});

describe('a sink', () => {
  it('is a call of a service, or of a tool that asks for hosts', () => {
    expect(isSink(someTool(), 'external_api')).toBe(true);
    expect(isSink(someTool({ needs: { hosts: ['a.example'] } }), 'read_only')).toBe(true);
    expect(isSink(someTool({ needs: { hosts: [] } }), 'read_only')).toBe(false);
    expect(isSink(someTool({ needs: {} }), 'write')).toBe(false);
    expect(isSink(someTool(), 'execute')).toBe(false);
  });
});
