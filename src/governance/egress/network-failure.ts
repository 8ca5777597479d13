/** Turns errors of the network into codes of the table, without the words of the other side. */
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';

type Row = readonly [code: ErrorCode, message: string, retryable?: boolean];

const SLOW: Row = ['TIMEOUT', 'The remote host did not answer in time.'];
const UNTRUSTED: Row = ['NETWORK', 'The certificate of the remote host was not accepted.', false];
const NO_TLS: Row = [
  'NETWORK',
  'The remote host did not answer in TLS; the address may start with http:// instead of https://.',
  false,
];
const REFUSED: Row = ['NETWORK', 'The remote host refused the connection: nothing listens there.'];

const ROWS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['ETIMEDOUT', SLOW],
  ['UND_ERR_CONNECT_TIMEOUT', SLOW],
  ['UND_ERR_HEADERS_TIMEOUT', SLOW],
  ['UND_ERR_BODY_TIMEOUT', SLOW],
  ['UND_ERR_HEADERS_OVERFLOW', ['NETWORK', 'The headers of the response are too large.', false]],
  ['ECONNREFUSED', REFUSED],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['CERT_HAS_EXPIRED', UNTRUSTED],
  ['CERT_NOT_YET_VALID', UNTRUSTED],
  ['CERT_REVOKED', UNTRUSTED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNTRUSTED],
  ['ERR_TLS_CERT_ALTNAME_INVALID', UNTRUSTED],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNTRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
]);

const REST: Row = ['NETWORK', 'The remote host could not be reached or broke off.'];

const fromRow = ([code, message, retryable]: Row): ToolFailure =>
  new ToolFailure(code, message, retryable === undefined ? {} : { retryable });

export const tooLarge = (): ToolFailure =>
  new ToolFailure('OUTPUT_TOO_LARGE', 'The response is larger than allowed.', {
    suggestions: ['Ask for less, or raise egress.maxResponseBytes.'],
  });

/** Finds the innermost cause, which undici wraps. A refusal of ours is returned as it is. */
export const networkFailure = (error: unknown): ToolFailure => {
  if (error instanceof ToolFailure) return error;
  if (!(error instanceof Error)) return fromRow(REST);
  if (error.cause !== undefined) return networkFailure(error.cause);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge();
  return fromRow(ROWS.get(code) ?? REST);
};
