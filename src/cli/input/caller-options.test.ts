import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { callerArguments, callerFrom } from './caller-options.ts';

describe('callerFrom', () => {
  it('leaves out what was not given', () => {
    expect(callerFrom({})).toEqual({});
    expect(callerFrom({ user: 'ada', agent: 'bot', session: 's1' })).toEqual({
      userId: 'ada',
      agentId: 'bot',
      sessionId: 's1',
    });
  });

  it("another role has none of the owner's permissions", () => {
    expect(callerFrom({ role: ['viewer'] })).toEqual({ roles: ['viewer'], permissions: [] });
    expect(callerFrom({ role: ['owner'] })).toEqual({ roles: ['owner'] });
  });
});

describe('callerArguments', () => {
  it('names only callers other than the local owner, safe for a shell', () => {
    expect(callerArguments(LOCAL_CALLER)).toEqual([]);
    expect(callerArguments({})).toEqual([]);
    expect(callerArguments({ userId: 'a b; rm', roles: ['r1', 'r2'] })).toEqual([
      '--user',
      "'a b; rm'",
      '--role',
      'r1',
      '--role',
      'r2',
    ]);
  });
});
