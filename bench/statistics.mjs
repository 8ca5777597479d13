/** Medians and spreads: what a noisy machine leaves of a measurement. */

/** The value below which the share `q` (0 to 1) of the samples lies, interpolated. */
export const quantile = (samples, q) => {
  const sorted = [...samples].sort((x, y) => x - y);
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
};

export const median = (samples) => quantile(samples, 0.5);

/** Median, best, and half the distance between the quartiles as a share of the median. */
export const summarize = (samples) => {
  const middle = median(samples);
  return {
    median: middle,
    best: Math.min(...samples),
    spread: (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / middle,
    samples: samples.length,
  };
};

/**
 * The ratio of two contenders that took turns: round by round, then the median. Whatever slowed
 * the machine down for a while slowed both down, so it cancels out.
 */
export const pairedRatio = (samples, baseline) =>
  median(samples.map((sample, round) => sample / baseline[round]));
