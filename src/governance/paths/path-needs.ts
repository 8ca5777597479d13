/**
 * Narrows what a guard lets through to the paths that a tool declared. Without a need there is no
 * file.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { PathNeed } from '../../contract/needs.ts';
import { segmentsBelow } from '../../kit/file/segments-below.ts';
import type { LocatedPath, PathGuard } from './path-guard.ts';
import type { Access } from './workspace-roots.ts';

export type Locate = (path: string, access: Access) => Promise<LocatedPath>;

const notAsked = () =>
  new ToolFailure('PERMISSION_DENIED', 'The tool did not ask for access to this path.', {
    suggestions: ['Use another tool, or declare the path in the needs of this one.'],
  });

const isWhole = (need: PathNeed): boolean => need.path === '.' || need.path === './';

/** Tells whether a need grants the access; write access includes reading. */
const grants = (need: PathNeed, access: Access): boolean =>
  access === 'read' || need.access === 'write';

export const locateWithin = (guard: PathGuard, needs: readonly PathNeed[]): Locate => {
  const covers = async (need: PathNeed, target: LocatedPath): Promise<boolean> => {
    if (isWhole(need)) return true;
    // A need that cannot be reached itself grants nothing.
    const zone = await guard.locate(need.path, 'read').catch(() => undefined);
    return zone !== undefined && segmentsBelow(zone.absolute, target.absolute) !== undefined;
  };
  return async (path, access) => {
    const granting = needs.filter((need) => grants(need, access));
    if (granting.length === 0) throw notAsked();
    const target = await guard.locate(path, access);
    for (const need of granting) {
      if (await covers(need, target)) return target;
    }
    throw notAsked();
  };
};
