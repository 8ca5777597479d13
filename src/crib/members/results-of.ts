/** `crib.results`: stored results that were too large to return, and cached ones. */
import type { CribResults } from '../../contract/crib-members.ts';
import { labelsOfHandle } from '../../governance/labels/handle-labels.ts';
import { callerOf } from '../../pipeline/new-call.ts';
import type { MemberDeps } from './member-deps.ts';

const DEFAULT_PAGE = 10_000;

export const resultsOf = (deps: MemberDeps): CribResults => ({
  read: async (handle, { offset = 0, limit = DEFAULT_PAGE } = {}, caller) => {
    const { store, engine } = await deps.open();
    const reader = callerOf(caller);
    const page = await store.results.read(handle, reader.userId, { offset, limit });
    // Labels are stored before the reader sees the data: the session's next calls are judged by them.
    if (page) await engine.shared.labels.absorb(reader, labelsOfHandle(handle));
    return page;
  },
  forget: (what) => deps.engine()?.shared.cache.invalidate(what) ?? 0,
});
