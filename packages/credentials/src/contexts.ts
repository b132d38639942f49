import credentialsV2 from './contexts/credentials-v2.json' with { type: 'json' };
import dataIntegrityV2 from './contexts/data-integrity-v2.json' with { type: 'json' };
import openBadges302 from './contexts/open-badges-3.0.2.json' with { type: 'json' };
import openBadges303 from './contexts/open-badges-3.0.3.json' with { type: 'json' };
import { CREDENTIALS_CONTEXT, OPEN_BADGES_CONTEXT } from './vocabulary.ts';

// The contexts as their makers publish them. A credential means what they say, so none is ever loaded from
// the network. Earlier contexts of Open Badges do not fit to version 2 of Verifiable Credentials.
const CONTEXTS = new Map<string, object>([
  [CREDENTIALS_CONTEXT, credentialsV2],
  ['https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.2.json', openBadges302],
  [OPEN_BADGES_CONTEXT, openBadges303],
  ['https://w3id.org/security/data-integrity/v2', dataIntegrityV2],
]);

export const KNOWN_CONTEXTS = [...CONTEXTS.keys()];

/** The `documentLoader` of jsonld. It knows the contexts of this package, and loads nothing else. */
export async function loadContext(url: string) {
  const document = CONTEXTS.get(url);
  if (document === undefined) throw new Error(`the context ${url} is not one of the known ones`);
  // `static` lets jsonld keep the parsed context.
  return { contextUrl: null, documentUrl: url, document, tag: 'static' };
}
