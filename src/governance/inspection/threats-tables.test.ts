/** Inspection and the guards judge programs and hosts by the same tables, entry by entry. */
import * as unbash from 'unbash';
import { describe, expect, it } from 'vitest';
import { createCommandGuard } from '../commands/command-guard.ts';
import { ESCALATING_PROGRAMS, SHELLS, WRAPPING_PROGRAMS } from '../commands/program-tables.ts';
import { judgeUrl as guardUrl } from '../egress/judge-url.ts';
import { createCommandJudge } from './judge-command.ts';
import { judgeUrl } from './judge-url.ts';

const inspect = createCommandJudge(unbash);

const severitiesOf = (text: string): readonly string[] => {
  const severities: string[] = [];
  inspect({ text }, ({ severity }) => void severities.push(severity));
  return severities;
};

describe('threat: programs that change the user', () => {
  it.each(ESCALATING_PROGRAMS)('inspection and guard refuse %s', (name) => {
    const guard = createCommandGuard({ allow: [`${name} **`, `${name} id`], root: '/repo' });
    expect(severitiesOf(`${name} id`)).toContain('critical');
    expect(guard.judge(`${name} id`)).toMatchObject({ ok: false });
  });

  it.each(WRAPPING_PROGRAMS)('inspection and guard look behind %s', (name) => {
    const guard = createCommandGuard({ allow: [`${name} **`], root: '/repo' });
    expect(severitiesOf(`${name} sudo id`)).toContain('critical');
    expect(guard.judge(`${name} sudo id`)).toMatchObject({ ok: false });
  });

  it.each(SHELLS)('inspection and guard look into the text for %s', (name) => {
    const guard = createCommandGuard({ allow: [`${name} *`], root: '/repo' });
    expect(severitiesOf(`${name} -c 'sudo id'`)).toContain('critical');
    expect(guard.judge(`${name} -c 'sudo id'`)).toMatchObject({ ok: false });
  });

  it.each(['npm test', 'timeout 5 npm test', 'bash scripts/ci.sh', 'grep sudo notes.md'])(
    'inspection has no objection to %s',
    (text) => expect(severitiesOf(text)).toEqual([]),
  );
});

const findingsOf = (url: string): readonly string[] => {
  const types: string[] = [];
  judgeUrl(url, undefined, ({ type }) => void types.push(type));
  return types;
};

describe('threat: services that hand out credentials', () => {
  it.each([
    'metadata.packet.net',
    'metadata.azure.internal',
    'rancher-metadata',
    'METADATA.google.internal.',
    '169.254.169.254',
    '169.254.170.23',
    '0xa9fea9fe',
    '192.80.8.124',
    '[fd00:42::42]',
    '[fe80::a9fe:a9fe]',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
  ])('inspection and guard refuse http://%s/', (host) => {
    const url = `http://${host}/latest`;
    expect(findingsOf(url)).toContain('data_exfiltration');
    expect(guardUrl(url, ['**'])).toMatchObject({ allowed: false });
  });

  it.each(['http://metadata.example.com/', 'http://8.8.8.8/', 'http://[2606:4700::1111]/'])(
    'inspection has no objection to %s',
    (url) => expect(findingsOf(url)).toEqual([]),
  );
});
