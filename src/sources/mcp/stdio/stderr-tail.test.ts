import { describe, expect, it } from 'vitest';
import { createStderrTail, type TextStream } from './stderr-tail.ts';

/** Holds back everything between BEGIN and END, as redaction does with a private key. */
const stream = (): TextStream => {
  let held = '';
  const clean = (text: string): string => text.replaceAll(/BEGIN[\s\S]*?(?:END|$)/g, '***');
  return {
    push: (text) => {
      held += text;
      const open = held.lastIndexOf('BEGIN');
      const cut = open >= 0 && !held.includes('END', open) ? open : held.length;
      const shown = clean(held.slice(0, cut));
      held = held.slice(cut);
      return shown;
    },
    peek: () => clean(held),
    end: () => clean(held),
  };
};

describe('the last lines of a server on stderr', () => {
  it('threat: a key of several lines is hidden, whole or half written', () => {
    const tail = createStderrTail((text) => text, stream);
    const life = tail.begin();
    life.push('starting\nBEGIN\nMIIE1\nMII');
    expect(tail.lines()).toEqual(['starting', '***']);
    life.push('E2\nEND\nready\n');
    expect(tail.lines()).toEqual(['starting', '***', 'ready']);
    life.push('BEGIN\nMIIE3\n');
    life.end();
    expect(tail.lines()).toEqual(['starting', '***', 'ready', '***']);
  });

  it('threat: a secret that is learnt later is hidden in what was written before', () => {
    const known: string[] = [];
    const redact = (text: string): string =>
      known.reduce((clean, secret) => clean.replaceAll(secret, '***'), text);
    const tail = createStderrTail(redact, stream);
    tail.begin().push('token is canary-1\n');
    known.push('canary-1');
    expect(tail.lines()).toEqual(['token is ***']);
  });
});
