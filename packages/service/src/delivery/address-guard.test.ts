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
    '2606:4700::1111',
  ])('%s is on the internet', (address) => {
    expect(isAllowed(address)).toBe(true);
    expect(isOpened(address)).toBe(false);
  });

  test.each([
    // this network, private networks, loopback, link-local with the address of cloud metadata, carrier-grade NAT
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['127.0.0.1', '127.255.255.255', '169.254.169.254', '100.64.0.1', '100.127.255.255'],
    // IETF, documentation, relays, benchmarks, multicast, reserved, broadcast
    ...[
      '192.0.0.1',
      '192.0.2.1',
      '198.51.100.1',
      '203.0.113.1',
      '192.88.99.1',
      '198.18.0.1',
      '198.19.255.255',
    ],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    // unspecified, loopback, link-local, unique local, site-local, multicast
    ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fd00::1', 'fc00::1', 'fec0::1', 'ff02::1'],
    // IPv4 inside IPv6: mapped, compatible, NAT64, NAT64 with a local prefix, 6to4, Teredo
    ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::7f00:1'],
    ...['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001:0:7f00:1::'],
    ...['::ffff:0:7f00:1', '2001:db8::1', '3fff::1', '100::1', '2001:2::1', '2001:10::1', '5f00::1'],
    // the metadata of a cloud
    'fd00:ec2::254',
  ])('%s is refused', (address) => {
    expect(isAllowed(address)).toBe(false);
  });

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
