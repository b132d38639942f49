export const CREDENTIALS_CONTEXT = 'https://www.w3.org/ns/credentials/v2';
export const OPEN_BADGES_CONTEXT = 'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json';
export const CRYPTOSUITE = 'eddsa-rdfc-2022';

/** The IRIs that the two contexts give to the terms that our credentials use. */
export const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const CREDENTIALS = 'https://www.w3.org/2018/credentials#';
const STATUS = 'https://www.w3.org/ns/credentials/status#';
const BADGES = 'https://purl.imsglobal.org/spec/vc/ob/vocab.html#';
const SCHEMA = 'https://schema.org/';
const SECURITY = 'https://w3id.org/security#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';

export const IRIS = {
  VerifiableCredential: `${CREDENTIALS}VerifiableCredential`,
  credentialStatus: `${CREDENTIALS}credentialStatus`,
  credentialSubject: `${CREDENTIALS}credentialSubject`,
  digestSRI: `${CREDENTIALS}digestSRI`,
  confidenceMethod: `${CREDENTIALS}confidenceMethod`,
  credentialSchema: `${CREDENTIALS}credentialSchema`,
  evidence: `${CREDENTIALS}evidence`,
  issuer: `${CREDENTIALS}issuer`,
  refreshService: `${CREDENTIALS}refreshService`,
  relatedResource: `${CREDENTIALS}relatedResource`,
  renderMethod: `${CREDENTIALS}renderMethod`,
  sriString: `${CREDENTIALS}sriString`,
  validFrom: `${CREDENTIALS}validFrom`,
  validUntil: `${CREDENTIALS}validUntil`,
  BitstringStatusList: `${STATUS}BitstringStatusList`,
  BitstringStatusListCredential: `${STATUS}BitstringStatusListCredential`,
  BitstringStatusListEntry: `${STATUS}BitstringStatusListEntry`,
  encodedList: `${STATUS}encodedList`,
  statusListCredential: `${STATUS}statusListCredential`,
  statusListIndex: `${STATUS}statusListIndex`,
  statusMessage: `${STATUS}statusMessage`,
  statusPurpose: `${STATUS}statusPurpose`,
  statusReference: `${STATUS}statusReference`,
  statusSize: `${STATUS}statusSize`,
  ttl: `${STATUS}ttl`,
  Achievement: `${BADGES}Achievement`,
  AchievementSubject: `${BADGES}AchievementSubject`,
  IdentityObject: `${BADGES}IdentityObject`,
  Image: `${BADGES}Image`,
  OpenBadgeCredential: `${BADGES}OpenBadgeCredential`,
  Profile: `${BADGES}Profile`,
  Result: `${BADGES}Result`,
  ResultDescription: `${BADGES}ResultDescription`,
  achievedLevel: `${BADGES}achievedLevel`,
  achievement: `${BADGES}achievement`,
  activityEndDate: `${BADGES}activityEndDate`,
  activityStartDate: `${BADGES}activityStartDate`,
  awardedDate: `${BADGES}awardedDate`,
  // The context gives the property the name of the class.
  criteria: `${BADGES}Criteria`,
  hashed: `${BADGES}hashed`,
  identifier: `${BADGES}identifier`,
  identityHash: `${BADGES}identityHash`,
  identityType: `${BADGES}identityType`,
  image: `${BADGES}image`,
  narrative: `${BADGES}narrative`,
  result: `${BADGES}result`,
  resultDescription: `${BADGES}resultDescription`,
  resultType: `${BADGES}resultType`,
  salt: `${BADGES}salt`,
  status: `${BADGES}status`,
  caption: `${SCHEMA}caption`,
  description: `${SCHEMA}description`,
  encodingFormat: `${SCHEMA}encodingFormat`,
  name: `${SCHEMA}name`,
  url: `${SCHEMA}url`,
  value: `${SCHEMA}value`,
  DataIntegrityProof: `${SECURITY}DataIntegrityProof`,
  assertionMethod: `${SECURITY}assertionMethod`,
  cryptosuite: `${SECURITY}cryptosuite`,
  cryptosuiteString: `${SECURITY}cryptosuiteString`,
  multibase: `${SECURITY}multibase`,
  proofPurpose: `${SECURITY}proofPurpose`,
  verificationMethod: `${SECURITY}verificationMethod`,
  created: 'http://purl.org/dc/terms/created',
  anyURI: `https://www.w3.org/2001/XMLSchema#anyURI`,
  boolean: 'https://www.w3.org/2001/XMLSchema#boolean',
  date: 'https://www.w3.org/2001/XMLSchema#date',
  dateTime: `${XSD}dateTime`,
  integer: `${XSD}integer`,
  string: `${XSD}string`,
} as const;

/** What the context 3.0.2 of Open Badges calls two properties. */
export const EARLIER_IRIS = {
  achievement: `${BADGES}achievement-0`,
  image: `${BADGES}Image`,
} as const;

/** The type that the context 3.0.3 gives to `awardedDate`: it does not define the prefix. */
export const AWARDED_DATE_TYPES = [IRIS.dateTime, 'xsd:dateTime'] as const;

const toIris = (base: string, names: string) => names.split(' ').map((name) => base + name);

/**
 * Properties that are known and not shown: they do not change what the shown ones mean. Whatever has another
 * property, such as `termsOfUse`, is not supported.
 */
export const NOT_SHOWN = {
  credential: [
    ...[IRIS.confidenceMethod, IRIS.credentialSchema, IRIS.evidence, IRIS.refreshService],
    ...[IRIS.relatedResource, IRIS.renderMethod, IRIS.name, IRIS.description],
    ...[IRIS.image, EARLIER_IRIS.image],
    ...toIris(SCHEMA, 'inLanguage'),
  ],
  issuer: [
    ...toIris(
      BADGES,
      'address familyNamePrefix honorificPrefix honorificSuffix official otherIdentifier parentOrg',
    ),
    ...toIris(BADGES, 'patronymicName phone dateOfBirth'),
    ...toIris(SCHEMA, 'additionalName description email familyName givenName inLanguage'),
  ],
  subject: [
    ...[IRIS.activityStartDate, IRIS.activityEndDate, IRIS.image, EARLIER_IRIS.image, IRIS.narrative],
    ...toIris(BADGES, 'creditsEarned licenseNumber role source term'),
  ],
  achievement: [
    ...toIris(BADGES, 'achievementType alignment creator creditsAvailable fieldOfStudy humanCode'),
    ...toIris(BADGES, 'otherIdentifier related specialization version'),
    ...toIris(SCHEMA, 'inLanguage keywords'),
  ],
  picture: [IRIS.encodingFormat],
  result: toIris(BADGES, 'alignment'),
  statusEntry: [
    ...[IRIS.statusPurpose, IRIS.statusListCredential, IRIS.statusListIndex],
    ...[IRIS.statusMessage, IRIS.statusReference, IRIS.statusSize],
  ],
  statusList: [IRIS.name, IRIS.description, IRIS.ttl],
  resultDescription: [
    IRIS.resultType,
    ...toIris(
      BADGES,
      'alignment allowedValue requiredLevel requiredValue rubricCriterionLevel valueMax valueMin',
    ),
  ],
} as const;
