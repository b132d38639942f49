import { type BadgeIdentity, toIdentityObject } from './identity.ts';
import { createProof, type Proof, type Sign } from './proof.ts';
import { createStatements } from './statements.ts';
import { CREDENTIALS_CONTEXT, IRIS, OPEN_BADGES_CONTEXT } from './vocabulary.ts';

/** A badge of one person, from which a credential is made. */
export interface Badge {
  /** The id of the credential, a URI. */
  id: string;
  /**
   * When the person got the badge, and when the credential was first made: ISO 8601 in whole seconds, UTC.
   */
  validFrom: string;
  created: string;
  /** When the badge ends, in the same form. Null: never. */
  validUntil: string | null;
  issuer: { did: string; name: string; pictureUrl: string | null };
  /** The id of the person's wallet, a `did:pkh`. */
  subjectId: string;
  /** Who the person is. Empty in what everybody can read. */
  identities: BadgeIdentity[];
  /** The first and the last day of what the badge is for, such as 2026-01-31. */
  startDate: string | null;
  endDate: string | null;
  achievement: {
    /** The URI of the badge, which all its owners share. */
    id: string;
    name: string;
    description: string;
    narrative: string;
    /** `digest` is the SHA-256 in base64. */
    picture: { url: string; mediaType: string; digest: string };
  };
  results: { name: string; value: string }[];
  status: { listUrl: string; index: number };
}

/** Makes the credential of a badge (Open Badges 3.0), signed. The same input gives the same bytes. */
export async function signBadge(badge: Badge, sign: Sign): Promise<string> {
  const proof: Proof = createProof(await canonizeBadge(badge), {
    did: badge.issuer.did,
    created: badge.created,
    sign,
  });
  return JSON.stringify({ ...toDocument(badge), proof });
}

/** The credential as JSON-LD, without its proof. */
export function toDocument({ issuer, achievement, results, status, ...badge }: Badge) {
  const { picture } = achievement;
  const days = {
    ...(badge.startDate === null ? {} : { activityStartDate: badge.startDate }),
    ...(badge.endDate === null ? {} : { activityEndDate: badge.endDate }),
  };
  const descriptions = results.map(({ name }, index) => ({
    id: resultId(achievement.id, index),
    type: ['ResultDescription'],
    name,
    resultType: 'Result',
  }));
  return {
    '@context': [CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT],
    id: badge.id,
    type: ['VerifiableCredential', 'OpenBadgeCredential'],
    name: achievement.name,
    issuer: {
      id: issuer.did,
      type: ['Profile'],
      name: issuer.name,
      ...(issuer.pictureUrl === null ? {} : { image: { id: issuer.pictureUrl, type: 'Image' } }),
    },
    validFrom: badge.validFrom,
    ...(badge.validUntil === null ? {} : { validUntil: badge.validUntil }),
    credentialSubject: {
      id: badge.subjectId,
      type: ['AchievementSubject'],
      ...(badge.identities.length === 0
        ? {}
        : {
            identifier: badge.identities.map((identity) => ({
              type: 'IdentityObject',
              ...toIdentityObject(identity),
            })),
          }),
      ...days,
      achievement: {
        id: achievement.id,
        type: ['Achievement'],
        name: achievement.name,
        description: achievement.description,
        criteria: { narrative: achievement.narrative },
        image: { id: picture.url, type: 'Image' },
        ...(results.length === 0 ? {} : { resultDescription: descriptions }),
      },
      ...(results.length === 0
        ? {}
        : {
            result: results.map(({ value }, index) => ({
              type: ['Result'],
              resultDescription: resultId(achievement.id, index),
              value,
            })),
          }),
    },
    relatedResource: [
      { id: picture.url, mediaType: picture.mediaType, digestSRI: `sha256-${picture.digest}` },
    ],
    credentialStatus: {
      id: `${status.listUrl}#${status.index}`,
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: String(status.index),
      statusListCredential: status.listUrl,
    },
  };
}

function resultId(achievementId: string, index: number): string {
  return `${achievementId}#attribute-${index + 1}`;
}

/**
 * Returns the canonical N-Quads of the credential. They are those that jsonld makes of `toDocument`, which
 * would take ten times as long: it copies the definitions of all terms for each of the objects.
 */
export async function canonizeBadge({
  issuer,
  achievement,
  results,
  status,
  ...badge
}: Badge): Promise<string> {
  const { picture } = achievement;
  const statements = createStatements();
  const statusId = { iri: `${status.listUrl}#${status.index}` };
  statements.add(
    { iri: badge.id },
    [IRIS.VerifiableCredential, IRIS.OpenBadgeCredential],
    [
      [IRIS.name, achievement.name],
      [IRIS.issuer, { iri: issuer.did }],
      [IRIS.validFrom, { text: badge.validFrom, type: IRIS.dateTime }],
      [
        IRIS.validUntil,
        badge.validUntil === null ? undefined : { text: badge.validUntil, type: IRIS.dateTime },
      ],
      [IRIS.credentialSubject, { iri: badge.subjectId }],
      [IRIS.relatedResource, { iri: picture.url }],
      [IRIS.credentialStatus, statusId],
    ],
  );
  statements.add(
    { iri: issuer.did },
    [IRIS.Profile],
    [
      [IRIS.name, issuer.name],
      [IRIS.image, issuer.pictureUrl === null ? undefined : { iri: issuer.pictureUrl }],
    ],
  );
  // A statement may not be made twice.
  if (issuer.pictureUrl !== null && issuer.pictureUrl !== picture.url) {
    statements.add({ iri: issuer.pictureUrl }, [IRIS.Image], []);
  }
  statements.add(
    { iri: badge.subjectId },
    [IRIS.AchievementSubject],
    [
      ...badge.identities.map((_, index): [string, { blank: string }] => [
        IRIS.identifier,
        { blank: `identity${index}` },
      ]),
      [IRIS.activityStartDate, toDay(badge.startDate)],
      [IRIS.activityEndDate, toDay(badge.endDate)],
      [IRIS.achievement, { iri: achievement.id }],
      ...results.map((_, index): [string, { blank: string }] => [IRIS.result, { blank: `result${index}` }]),
    ],
  );
  for (const [index, identity] of badge.identities.entries()) {
    const { hashed, identityHash, identityType, salt } = toIdentityObject(identity);
    statements.add(
      { blank: `identity${index}` },
      [IRIS.IdentityObject],
      [
        [IRIS.hashed, { text: String(hashed), type: IRIS.boolean }],
        [IRIS.identityHash, identityHash],
        [IRIS.identityType, identityType],
        [IRIS.salt, salt],
      ],
    );
  }
  statements.add(
    { iri: achievement.id },
    [IRIS.Achievement],
    [
      [IRIS.name, achievement.name],
      [IRIS.description, achievement.description],
      [IRIS.criteria, { blank: 'criteria' }],
      [IRIS.image, { iri: picture.url }],
      ...results.map((_, index): [string, { iri: string }] => [
        IRIS.resultDescription,
        { iri: resultId(achievement.id, index) },
      ]),
    ],
  );
  statements.add({ blank: 'criteria' }, [], [[IRIS.narrative, achievement.narrative]]);
  statements.add(
    { iri: picture.url },
    [IRIS.Image],
    [
      [IRIS.encodingFormat, picture.mediaType],
      [IRIS.digestSRI, { text: `sha256-${picture.digest}`, type: IRIS.sriString }],
    ],
  );
  for (const [index, { name, value }] of results.entries()) {
    const id = resultId(achievement.id, index);
    statements.add(
      { iri: id },
      [IRIS.ResultDescription],
      [
        [IRIS.name, name],
        [IRIS.resultType, 'Result'],
      ],
    );
    statements.add(
      { blank: `result${index}` },
      [IRIS.Result],
      [
        [IRIS.resultDescription, { text: id, type: IRIS.anyURI }],
        [IRIS.value, value],
      ],
    );
  }
  statements.add(
    statusId,
    [IRIS.BitstringStatusListEntry],
    [
      [IRIS.statusPurpose, 'revocation'],
      [IRIS.statusListIndex, String(status.index)],
      [IRIS.statusListCredential, { iri: status.listUrl }],
    ],
  );
  return await statements.canonize();
}

function toDay(date: string | null): { text: string; type: string } | undefined {
  return date === null ? undefined : { text: date, type: IRIS.date };
}
