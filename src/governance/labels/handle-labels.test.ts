import { describe, expect, it } from 'vitest';
import type { Labels } from '../../contract/result.ts';
import { joinLabels, labelsOfHandle, markHandle } from './handle-labels.ts';

const ALL = (['trusted', 'untrusted'] as const).flatMap((trust) =>
  (['public', 'private', 'secret'] as const).map((sensitivity): Labels => ({ trust, sensitivity })),
);

describe('the labels of a handle', () => {
  it.each(ALL)('are read as they were written: $trust $sensitivity', (labels) => {
    expect(labelsOfHandle(markHandle('result_3fa2-11ec-9b1d', labels))).toEqual(labels);
  });

  it('join to the stricter of both', () => {
    const web: Labels = { trust: 'untrusted', sensitivity: 'public' };
    const file: Labels = { trust: 'trusted', sensitivity: 'private' };
    const both = { trust: 'untrusted', sensitivity: 'private' };
    expect([joinLabels(web, file), joinLabels(file, web)]).toEqual([both, both]);
    expect(joinLabels(file, { trust: 'trusted', sensitivity: 'secret' }).sensitivity).toBe(
      'secret',
    );
  });
});
