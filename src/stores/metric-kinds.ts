/** The kinds of series of counts as SQL has them: without the kind, their key finds no rows of a grain. */
import { METRIC_KINDS } from '../contract/metrics.ts';

export const ALL_METRIC_KINDS = METRIC_KINDS.map((kind) => `'${kind}'`).join(', ');
