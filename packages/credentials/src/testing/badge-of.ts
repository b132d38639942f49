import type { Badge } from '../badge-credential.ts';

/** A badge with every member. */
export function badgeOf({ did, status }: { did: string; status: Badge['status'] }): Badge {
  return {
    id: 'urn:uuid:ca98bd9f-bec4-41be-8375-bc1ca12176fd',
    validFrom: '2026-01-02T03:04:05Z',
    created: '2026-01-03T03:04:05Z',
    validUntil: null,
    issuer: { did, name: 'My "DAO" \\ \n é', pictureUrl: 'https://example.org/logo.png' },
    subjectId: 'did:pkh:eip155:137:0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044',
    identities: [
      { type: 'name', name: 'Ada "Augusta" \\ 日本語' },
      // The example of Open Badges 3.0: a@example.com, with its salt.
      {
        type: 'emailAddress',
        hash: 'b5809d8a92f8858436d7e6b87c12ebc0ae1eac4baecc2c0b913aee2c922ef399',
        salt: 'Kosher',
      },
    ],
    startDate: '2026-01-01',
    endDate: '2026-01-02',
    achievement: {
      id: 'https://example.org/v1/tokens/1',
      name: 'Speaker 2026 日本語 🏅',
      description: 'Spoke at the conference',
      narrative: 'Give a talk',
      picture: {
        url: 'https://example.org/images/token/1.png',
        mediaType: 'image/png',
        digest: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
      },
    },
    results: [
      { name: 'Track', value: 'Security' },
      { name: 'Level', value: 'Security' },
      { name: 'empty', value: '' },
    ],
    status,
  };
}
