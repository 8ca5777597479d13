import { describe, expect, it } from 'vitest';
import { nameFrom } from './name-from.ts';

describe('the name of a source', () => {
  it.each([
    ['https://petstore3.swagger.io/api/v3/openapi.json', 'petstore3'],
    ['https://api.github.com/graphql', 'github'],
    ['https://mcp.linear.app/mcp', 'linear'],
    ['http://127.0.0.1:8080/shop/openapi.json', 'shop'],
    ['http://127.0.0.1:8080/', 'source'],
    ['./specs/billing.v2.yaml', 'billing-v2'],
    ['@modelcontextprotocol/server-filesystem', 'server-filesystem'],
    ['-../…', 'source'],
    ['http://127.0.0.1:8080/openapi.json', 'openapi'],
    ['grpc://orders:50051', 'orders'],
  ])('of %s is %s', (address, name) => {
    expect(nameFrom(address)).toBe(name);
  });

  it('is the given one where the address says nothing', () => {
    expect(nameFrom('grpc://127.0.0.1:50051', 'grpc')).toBe('grpc');
    expect(nameFrom('wss://desk.example.com/socket', 'websocket')).toBe('desk');
  });
});
