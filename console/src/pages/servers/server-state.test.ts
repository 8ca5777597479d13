import { describe, expect, it } from 'vitest';
import { serverPath } from './server-records.ts';
import { stateMeaning } from './server-state.ts';

const STATES = ['idle', 'starting', 'ready', 'restarting', 'open', 'disabled', 'needs_login'];

describe('the state of a server', () => {
  it.each(STATES)('%s has a word and a meaning', (state) => {
    const { word, meaning } = stateMeaning({ state, name: 'a' });
    expect(word).not.toBe('');
    expect(meaning).not.toBe('');
  });

  it('is shown as it is when it is new to us', () => {
    for (const state of ['sleeping', 'constructor']) {
      expect(stateMeaning({ state, name: 'a' })).toEqual({
        tone: 'neutral',
        word: state,
        meaning: '',
        command: '',
      });
    }
  });

  it('comes with the command that helps', () => {
    expect(stateMeaning({ state: 'needs_login', name: 'github' }).command).toBe(
      'toolcrib servers login github',
    );
    expect(stateMeaning({ state: 'ready', name: 'github' }).command).toBe('');
  });

  it('threat: a name that would run something when the command is pasted', () => {
    expect(stateMeaning({ state: 'disabled', name: "x'; rm -rf ~ #" }).command).toBe(
      "toolcrib servers enable 'x'\\''; rm -rf ~ #'",
    );
  });

  it('threat: a name that leads to another path', () => {
    expect(serverPath('../tokens', 'logs')).toBe('/v1/servers/..%2Ftokens/logs');
  });
});
