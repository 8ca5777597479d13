/** The headers that every answer carries, so that a browser does no more with it than it must. */

/** Nothing may be loaded or framed. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
const API_POLICY = `${DATA_POLICY}; base-uri 'none'; form-action 'none'`;

export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Allows a page without scripts and a style sheet with this hash. */
export const pagePolicy = (styleHash: string): string =>
  `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`;

export interface SecurityHeaders {
  /** For answers that do not set them themselves. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly fixed: Readonly<Record<string, string>>;
  /**
   * For JSON answers: only what a browser needs for data. Most calls are answered with JSON, and
   * their callers parse every header.
   */
  readonly data: Readonly<Record<string, string>>;
}

export const securityHeaders = (isHttps: boolean): SecurityHeaders => {
  const everywhere = {
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...(isHttps && { 'strict-transport-security': 'max-age=31536000' }),
  };
  return {
    defaults: { 'content-security-policy': API_POLICY, 'cache-control': 'no-store' },
    fixed: {
      ...everywhere,
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    },
    data: {
      ...everywhere,
      'content-security-policy': DATA_POLICY,
      'cache-control': 'no-store',
    },
  };
};
