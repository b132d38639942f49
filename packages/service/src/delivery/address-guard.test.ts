import { describe, expect, test } from 'vitest';
import { createAddressGuard } from './address-guard.ts';

describe('without opened ranges', () => {
  const { isAllowed, isOpened } = createAddressGuard([]);

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2001:200::',
    '2001:db7:ffff::1',
    '2001:db9::',
    '2003::',
    '2606:4700::1111',
    '3ffe:ffff::1',
    '3fff:1000::',
  ])('%s is on the internet', (address) => {
    expect(isAllowed(address)).toBe(true);
    expect(isOpened(address)).toBe(false);
  });

  // The special-purpose registries of IANA, whether or not they say that a range is globally reachable:
  // nobody receives webhooks there. Then multicast, what was reserved for a while, and what clouds use for
  // themselves.
  test.each<[purpose: string, first: string, last: string]>([
    ['this network', '0.0.0.0', '0.255.255.255'],
    ['private use', '10.0.0.0', '10.255.255.255'],
    ['shared address space, with the metadata of Alibaba (100.100.100.200)', '100.64.0.0', '100.127.255.255'],
    ['loopback', '127.0.0.0', '127.255.255.255'],
    ['link-local, with the metadata of clouds (169.254.169.254)', '169.254.0.0', '169.254.255.255'],
    ['private use', '172.16.0.0', '172.31.255.255'],
    ['protocol assignments, with the metadata of Oracle (192.0.0.192)', '192.0.0.0', '192.0.0.255'],
    ['documentation', '192.0.2.0', '192.0.2.255'],
    ['AS112-v4', '192.31.196.0', '192.31.196.255'],
    ['AMT', '192.52.193.0', '192.52.193.255'],
    ['6to4 relays', '192.88.99.0', '192.88.99.255'],
    ['private use', '192.168.0.0', '192.168.255.255'],
    ['AS112 direct delegation', '192.175.48.0', '192.175.48.255'],
    ['benchmarking', '198.18.0.0', '198.19.255.255'],
    ['documentation', '198.51.100.0', '198.51.100.255'],
    ['documentation', '203.0.113.0', '203.0.113.255'],
    ['multicast', '224.0.0.0', '239.255.255.255'],
    ['reserved, and limited broadcast', '240.0.0.0', '255.255.255.255'],
    ['services of Azure', '168.63.129.16', '168.63.129.16'],
    ['unspecified', '::', '::'],
    ['loopback', '::1', '::1'],
    ['IPv4-compatible', '::127.0.0.1', '::255.255.255.255'],
    ['IPv4-mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255'],
    ['IPv4-mapped, of an address on the internet', '::ffff:8.8.8.8', '::ffff:168.63.129.16'],
    ['IPv4-translated', '::ffff:0:0.0.0.0', '::ffff:0:255.255.255.255'],
    ['NAT64', '64:ff9b::0.0.0.0', '64:ff9b::255.255.255.255'],
    ['NAT64 with a local prefix', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['discard only', '100::', '100::ffff:ffff:ffff:ffff'],
    ['dummy prefix', '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff'],
    ['protocol assignments', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['port control, TURN and DNS-SD', '2001:1::1', '2001:1::3'],
    ['benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
    ['AMT', '2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['AS112-v6', '2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
    ['ORCHID', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['ORCHIDv2', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['drones', '2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['AS112 direct delegation', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['not assigned', '4000::', '5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['unique local, with the metadata of AWS (fd00:ec2::254)', 'fc00::', 'fdff:ffff::ffff'],
    ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['link-local with a zone', 'fe80::1%eth0', 'febf::1%1'],
    ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('%s is refused: %s to %s', (_purpose, ...addresses) => {
    for (const address of addresses) expect(isAllowed(address), address).toBe(false);
  });

  test.each(['100.100.100.200', '169.254.169.254', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'])(
    'the metadata of a cloud at %s are refused',
    (address) => expect(isAllowed(address)).toBe(false),
  );

  test.each(['', 'example.org', '1.2.3', '1.2.3.4.5', '0x7f000001', '::g'])('"%s" is no address', (text) => {
    expect(isAllowed(text)).toBe(false);
    expect(isOpened(text)).toBe(false);
  });
});

test('opened ranges, addresses and names of ranges are allowed, in each form of an address', () => {
  const guard = createAddressGuard(['loopback', '10.1.0.0/16', '192.168.1.7', 'fd12::/16']);
  const opened = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.255.255', '192.168.1.7', 'fd12:3::1'];
  for (const address of opened) {
    expect(guard.isAllowed(address), address).toBe(true);
    expect(guard.isOpened(address), address).toBe(true);
  }
  for (const address of ['10.2.0.0', '192.168.1.8', 'fd13::1', '169.254.169.254', '::2']) {
    expect(guard.isAllowed(address), address).toBe(false);
  }
  expect(guard.isAllowed('8.8.8.8')).toBe(true);
});
