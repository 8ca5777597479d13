/** A refusal of the server, or of the network, as the pages show it. */
import type { ErrorBody, Issue } from './tool-records.ts';

export class ApiError extends Error {
  readonly code: string;
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly suggestions: readonly string[];
  readonly issues: readonly Issue[];
  readonly requestId: string;

  constructor(body: ErrorBody, status: number, requestId = '') {
    super(body.message);
    this.name = 'ApiError';
    this.code = body.code;
    this.status = status;
    this.suggestions = body.suggestions ?? [];
    this.issues = body.issues ?? [];
    this.requestId = requestId;
  }
}

/** Turns whatever was thrown into an `ApiError`. */
export const asApiError = (thrown: unknown): ApiError =>
  thrown instanceof ApiError
    ? thrown
    : new ApiError(
        {
          code: 'UNREACHABLE',
          message: 'The server did not answer.',
          suggestions: ['Check that toolcrib serve is running, then try again.'],
        },
        0,
      );
