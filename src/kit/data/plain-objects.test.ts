import { expect, it } from 'vitest';
import { plainObjects } from './plain-objects.ts';

const Point = plainObjects<{ readonly x: number; readonly y: number }, [number, number]>(
  function (x, y) {
    this.x = x;
    this.y = y;
  },
);

it('plain objects of a constructor cannot be distinguished from literals', () => {
  const point = new Point(1, 2);
  expect(point).toStrictEqual({ x: 1, y: 2 });
  expect(Object.getPrototypeOf(point)).toBe(Object.prototype);
  expect(structuredClone(point)).toStrictEqual({ x: 1, y: 2 });
});
