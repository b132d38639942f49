import type { Mutant } from './mutant.ts';

export const NO_SHARE_OF_CONNECTIONS: Mutant = {
  name: 'no share of connections',
  defect: 'When 2,000 connections are open, new ones are dropped, whoever opened the others.',
  breaks: 'I13',
  faultFilter: 'silent connections',
  changes: {
    'http/server.ts': [
      ['maxConnections: limits.connections,', 'maxConnections: 2_000,'],
      ['maxPerAddress: limits.connectionsPerAddress,', 'maxPerAddress: Number.POSITIVE_INFINITY,'],
    ],
    'http/connections/connections-per-address.ts': [
      // The last connection in `idle` is the new one.
      [
        'closeOne(findLargestClient(), socket)',
        'closeOne({ ...client, idle: new Set([...client.idle].slice(-1)) }, socket)',
      ],
    ],
  },
};
