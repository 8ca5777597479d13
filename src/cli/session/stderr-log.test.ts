import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { stderrLog } from './open-crib.ts';

const said = (isStaying: boolean): string => {
  const { io, err } = fakeIo();
  const log = stderrLog(io, 'warn', isStaying);
  for (const server of ['a', 'a', 'b', 'a']) log.warn('An MCP server failed', { server });
  log.debug('quiet');
  return err();
};

describe('stderrLog', () => {
  it('says each line once where a server fails again and again during one command', () => {
    expect(said(false).match(/"server":"[ab]"/g)).toEqual(['"server":"a"', '"server":"b"']);
  });

  it('benign: a command that stays says it every time', () => {
    expect(said(true).match(/An MCP server failed/g)).toHaveLength(4);
  });
});
