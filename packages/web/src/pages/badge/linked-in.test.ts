import { expect, test } from 'vitest';
import { toLinkedInUrl } from './linked-in.ts';

const CERTIFICATION = {
  name: 'Speaker & "host" 2026',
  organizationName: 'Builders of Lisbon',
  issuedTimestamp: Date.UTC(2026, 10, 30, 23, 59),
  expiryTimestamp: null,
  certId: 'urn:uuid:ca98bd9f-bec4-41be-8375-bc1ca12176fd',
  certUrl: 'https://badge.example/token/7?owner=0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
};

test('the link has the parameters that LinkedIn documents', () => {
  expect(toLinkedInUrl(CERTIFICATION)).toBe(
    'https://www.linkedin.com/profile/add?startTask=CERTIFICATION_NAME' +
      '&name=Speaker%20%26%20%22host%22%202026' +
      '&organizationName=Builders%20of%20Lisbon' +
      '&issueYear=2026&issueMonth=11' +
      '&certUrl=https%3A%2F%2Fbadge.example%2Ftoken%2F7%3Fowner%3D0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044' +
      '&certId=urn%3Auuid%3Aca98bd9f-bec4-41be-8375-bc1ca12176fd',
  );
  expect(toLinkedInUrl({ ...CERTIFICATION, certId: null })).not.toContain('certId');
});

test('the link says when the badge ends, in UTC', () => {
  const expiryTimestamp = Date.UTC(2027, 0, 1) - 1;
  const { searchParams } = new URL(toLinkedInUrl({ ...CERTIFICATION, expiryTimestamp }));
  expect(searchParams.get('expirationYear')).toBe('2026');
  expect(searchParams.get('expirationMonth')).toBe('12');
});

test('a long name in any script is shortened to 255 characters in one line', () => {
  const url = new URL(toLinkedInUrl({ ...CERTIFICATION, name: `one\n\ntwo ${'🎉'.repeat(300)}` }));
  const name = url.searchParams.get('name') ?? '';
  expect(name).toMatch(/^one two 🎉+…$/u);
  expect(Array.from(name)).toHaveLength(255);
});
