/** Threat: a body that the approver, a proxy and the tool understand differently. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AMBIGUOUS, SOUND } from '../../../test/fixtures/ambiguous-json.ts';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';

let http: TestHttp;
let inputs: unknown[] = [];
beforeAll(async () => {
  const tool = aTool({
    input: { type: 'object', properties: { data: {} } },
    output: {},
    run: (input: unknown) => {
      inputs.push(input);
      return 'ran';
    },
  });
  http = await openHttp([tool], {});
});
afterAll(() => http.close());
beforeEach(() => {
  inputs = [];
});

const post = (raw: string) =>
  http.ask('/v1/tools/echo/execute', {
    method: 'POST',
    token: http.tokens.admin,
    raw,
    headers: { 'content-type': 'application/json' },
  });

describe('threat: JSON that two readers understand differently, over HTTP', () => {
  it.each(AMBIGUOUS)('a body with %s is refused and nothing runs', async (_, text) => {
    const answer = await post(`{"input":{"data":${text}}}`);
    expect(answer.status).toBe(400);
    expect(answer.json.error.code).toBe('VALIDATION_ERROR');
    expect(inputs).toEqual([]);
  });

  it('a body that gives the input twice is refused and nothing runs', async () => {
    const answer = await post('{"input":{"data":1},"input":{"data":2}}');
    expect(answer.json.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('given twice'),
    });
    expect(inputs).toEqual([]);
  });

  it.each(SOUND)('a body with %s reaches the tool as it was sent', async (_, text) => {
    const answer = await post(`{"input":{"data":${text}}}`);
    expect(answer.status, answer.text).toBe(200);
    expect(inputs).toEqual([{ data: JSON.parse(text) }]);
  });

  it('a form that gives a field twice is refused', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await http.ask('/approve', { method: 'POST', raw: 'token=a&token=b', headers });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('twice');
  });
});
