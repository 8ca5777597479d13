/** docs/errors.md says what the table of error codes says. */
import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorRow } from '../../src/contract/errors.ts';
import { readText } from './source-text.ts';

type Renderer = { renderErrorsDoc(table: Record<string, ErrorRow>): string };

const script = new URL('../../scripts/render-errors-doc.mjs', import.meta.url).href;
const { renderErrorsDoc }: Renderer = await import(script);

describe('errors.md', () => {
  it('is what the table of error codes renders to', () => {
    expect(readText('docs/errors.md')).toBe(renderErrorsDoc(ERRORS));
  });

  it('changes with every column of the table', () => {
    const { TIMEOUT } = ERRORS;
    const page = renderErrorsDoc({ TIMEOUT });
    const changes: Partial<ErrorRow>[] = [
      { type: 'network' },
      { severity: 'critical' },
      { http: 500 },
      { rpc: -1 },
      { exit: 2 },
      { retryable: false },
      { recoverable: false },
      { sentence: 'Another one.' },
    ];
    for (const change of changes) {
      expect(renderErrorsDoc({ TIMEOUT: { ...TIMEOUT, ...change } })).not.toBe(page);
    }
  });
});
