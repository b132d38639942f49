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
  issuer: `${CREDENTIALS}issuer`,
  relatedResource: `${CREDENTIALS}relatedResource`,
  sriString: `${CREDENTIALS}sriString`,
  validFrom: `${CREDENTIALS}validFrom`,
  BitstringStatusList: `${STATUS}BitstringStatusList`,
  BitstringStatusListCredential: `${STATUS}BitstringStatusListCredential`,
  BitstringStatusListEntry: `${STATUS}BitstringStatusListEntry`,
  encodedList: `${STATUS}encodedList`,
  statusListCredential: `${STATUS}statusListCredential`,
  statusListIndex: `${STATUS}statusListIndex`,
  statusPurpose: `${STATUS}statusPurpose`,
  Achievement: `${BADGES}Achievement`,
  AchievementSubject: `${BADGES}AchievementSubject`,
  Image: `${BADGES}Image`,
  OpenBadgeCredential: `${BADGES}OpenBadgeCredential`,
  Profile: `${BADGES}Profile`,
  Result: `${BADGES}Result`,
  ResultDescription: `${BADGES}ResultDescription`,
  achievement: `${BADGES}achievement`,
  activityEndDate: `${BADGES}activityEndDate`,
  activityStartDate: `${BADGES}activityStartDate`,
  // The context gives the property the name of the class.
  criteria: `${BADGES}Criteria`,
  image: `${BADGES}image`,
  narrative: `${BADGES}narrative`,
  result: `${BADGES}result`,
  resultDescription: `${BADGES}resultDescription`,
  resultType: `${BADGES}resultType`,
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
  date: 'https://www.w3.org/2001/XMLSchema#date',
  dateTime: `${XSD}dateTime`,
} as const;
