import { describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { refusedResult } from '../session/make-call.ts';
import { chatView } from './chat-view.ts';

const call = (name: string, input: unknown) => ({ id: 'c', name, input });

describe('chatView', () => {
  it('writes whole words as they come, and ends the line', () => {
    const { io, out } = fakeIo();
    const view = chatView(io);
    view.text('Hel');
    expect(out()).toBe('');
    view.text('lo wor');
    expect(out()).toBe('Hello ');
    view.text('ld');
    view.endText();
    view.endText();
    expect(out()).toBe('Hello world\n');
  });

  it('THREAT: a sequence that is split between two pieces is written out all the same', () => {
    const { io, out } = fakeIo();
    const view = chatView(io);
    for (const piece of ['a\u001b', '[2J b', '\u202e', 'c']) view.text(piece);
    view.endText();
    expect(out()).toBe('a␛[2J b\\u202ec\n');
  });

  it('THREAT: neither name nor input of a call can draw on the screen or break its line', () => {
    const { io, err } = fakeIo();
    const view = chatView(io);
    view.callStarted(call('x\u001b[2J\ny', { a: 'b\u001b\n\u202e' }));
    expect(err()).toMatch(/^ {2}→ x␛\[2J␊y \{"a":"b\\u001b\\n\\u202e"\}\n$/);
  });

  it('cuts a long input to the width of the terminal', () => {
    const { io, err } = fakeIo();
    Object.assign(io.stderr, { columns: 40 });
    chatView(io).callStarted(call('x', { text: 'y'.repeat(500) }));
    expect(err().length).toBeLessThanOrEqual(40);
  });

  it('names the tool inside call_tool, and the code of a refusal', () => {
    const { io, err } = fakeIo();
    const view = chatView(io);
    const wanted = call('call_tool', { name: 'git', input: { action: 'log' } });
    view.callStarted(wanted);
    const result = refusedResult('git', new ToolFailure('PERMISSION_DENIED'), 0);
    view.callEnded(wanted, { failed: true, result });
    view.callEnded(call('search_tools', {}), { failed: false, result: undefined });
    expect(err()).toBe(
      '  → git {"action":"log"}\n  ✗ PERMISSION_DENIED git · 0 µs · free\n  ✓ search_tools\n',
    );
  });
});
