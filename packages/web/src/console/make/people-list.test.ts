import { expect, test } from 'vitest';
import { loadPeopleReader } from './people-list.ts';

const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';

test('a person with an e-mail and an address is one, and every wrong line is named', async () => {
  const read = await loadPeopleReader();
  const text = [
    'Name\tE-mail\tWallet',
    `Ada Lovelace\tada@example.org\t${ADDRESS}`,
    'Grace\tgrace@example.org\t',
    'Nadia\tnadia@example',
    '',
    'Grace again\tGRACE@example.org',
    `Key\t\t0x${'1f'.repeat(32)}`,
    'Nobody\t\t',
  ].join('\n');
  expect(read(text)).toEqual({
    people: [ADDRESS, 'grace@example.org'],
    repeatedCount: 1,
    wrongLines: [
      { line: 4, text: 'nadia@example', problem: 'badEmail' },
      { line: 7, text: '', problem: 'secret' },
      { line: 8, text: 'Nobody', problem: 'empty' },
    ],
  });
});
