import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from './heap.ts';

describe('Heap', () => {
  it('gives items back in order, whatever the order in which they came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap = new Heap<number>((one, other) => one < other);
        for (const number of numbers) heap.push(number);
        const sorted = numbers.map(() => heap.pop());
        expect(sorted).toEqual(numbers.toSorted((one, other) => one - other));
        expect(heap.first).toBeUndefined();
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });
});
