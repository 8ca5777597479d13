/** Fields that only a server sets are left out of requests; those that it never shows, of responses. */
export type Side = 'request' | 'response';
