import { describe, expect, it } from 'vitest';
import type { ServerNotification } from '../../contract/servers.ts';
import { createNotifier } from './notifications.ts';

const collect = () => {
  const heard: ServerNotification[] = [];
  let now = 0;
  const notifier = createNotifier({
    runtime: { elapsed: () => now },
    redact: (text) => text.replaceAll('hunter2', '***'),
    notified: (one) => heard.push(one),
  });
  return { heard, notifier, pass: (ms: number) => (now += ms) };
};

describe('what an MCP server reports by itself', () => {
  it('is passed on with the address of the resource', () => {
    const { heard, notifier } = collect();
    notifier.tell({ method: 'notifications/resources/updated', uri: 'a://b' });
    expect(heard).toEqual([{ method: 'notifications/resources/updated', uri: 'a://b' }]);
  });

  it('threat: is redacted, made visible and cut', () => {
    const { heard, notifier } = collect();
    notifier.message({ level: 'info', data: 'hunter2\u001b[8m' });
    notifier.message({ level: { no: 'text' }, data: { word: 'hunter2' } });
    notifier.message({ data: 'x'.repeat(10_000) });
    expect(heard[0]).toMatchObject({ level: 'info', text: expect.stringMatching(/^\*\*\*/) });
    expect(heard[0]?.text).not.toContain('\u001b');
    expect(heard[1]).toEqual({ method: 'notifications/message', text: '{"word":"***"}' });
    expect(heard[2]?.text?.length).toBeLessThan(2100);
  });

  it('threat: is cut off after 20 a second', () => {
    const { heard, notifier, pass } = collect();
    for (let at = 0; at < 100; at++) notifier.tell({ method: 'a' });
    expect(heard).toHaveLength(20);
    pass(1000);
    notifier.tell({ method: 'b' });
    expect(heard.at(-1)).toEqual({ method: 'b' });
  });
});
