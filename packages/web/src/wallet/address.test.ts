import { expect, test } from 'vitest';
import { readTypedAddress } from './address.ts';

const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const PRIVATE_KEY = `0x${'4f3edf983ac636a6'.repeat(4)}`;

test.for([
  ADDRESS,
  ` ${ADDRESS}\n`,
  ADDRESS.toLowerCase(),
  `0x${ADDRESS.slice(2).toUpperCase()}`,
  `0X${ADDRESS.slice(2)}`,
  ADDRESS.slice(2),
  ADDRESS.replace('0x', '0x ').replaceAll(/(.{7})/g, '$1 - '),
  `ethereum:${ADDRESS}@1`,
  `https://etherscan.io/address/${ADDRESS}#tokentxns`,
  `Hi Ana (ana@example.org), your address is ${ADDRESS}. See you!`,
  `Your address: ${ADDRESS}. Keep it!`,
  `${ADDRESS} ${ADDRESS.toLowerCase()}`,
])('reads %j with its checksum', (text) => {
  expect(readTypedAddress(text)).toEqual({ address: ADDRESS });
});

// From EIP-55.
test.for([
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
])('writes the checksum of %s', (address) => {
  expect(readTypedAddress(address.toLowerCase())).toEqual({ address });
});

test.for([
  ['', 'empty'],
  ['ada.eth', 'name'],
  ['ada@example.org', 'email'],
  ['0x…', 'shortened'],
  [`${ADDRESS.slice(0, 6)}…${ADDRESS.slice(-4)}`, 'shortened'],
  [`${ADDRESS.slice(0, 6)}...${ADDRESS.slice(-4)}`, 'shortened'],
  ['0xada.eth', 'name'],
  ['ada', 'start'],
  [ADDRESS.slice(0, -1), 'length'],
  [`${ADDRESS}0`, 'length'],
  [ADDRESS.replace('5', 'g'), 'digits'],
  [ADDRESS.replace('E', 'e'), 'checksum'],
  [`0x${'0'.repeat(40)}`, 'zero'],
  [PRIVATE_KEY, 'secret'],
  [PRIVATE_KEY.slice(2), 'secret'],
  [PRIVATE_KEY.slice(0, -2), 'secret'],
  [PRIVATE_KEY.replaceAll(/(.{8})/g, '$1 '), 'secret'],
  [`https://etherscan.io/tx/${PRIVATE_KEY}`, 'secret'],
  [`address ${ADDRESS}, key ${PRIVATE_KEY}`, 'secret'],
  [`Ana: ${ADDRESS} Tom: 0x${'1'.repeat(40)}`, 'several'],
  [`ana@example.org ${ADDRESS} 0x${'1'.repeat(40)}`, 'several'],
  ['I have no address. Can you help?', 'start'],
  [`${'abandon '.repeat(11)}about`, 'secret'],
] as const)('says what is wrong with %j', ([text, problem]) => {
  expect(readTypedAddress(text)).toEqual({ problem });
});
