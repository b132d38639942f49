import { shortenText } from './shorten-text.ts';

// LinkedIn refuses longer names.
const MAX_NAME_CHARACTERS = 255;

/** What LinkedIn knows of a certification. */
export interface Certification {
  name: string;
  organizationName: string;
  /** In milliseconds since 1970. LinkedIn knows only its month. */
  issuedTimestamp: number;
  /** When it ends. Null: never. */
  expiryTimestamp: number | null;
  /** The id of the credential. Null: there is none, or it is not known yet. */
  certId: string | null;
  certUrl: string;
}

/**
 * Returns the link of LinkedIn's "Add to profile". The names of the parameters are those of LinkedIn's
 * documentation (https://addtoprofile.linkedin.com until May 2026, now
 * https://www.linkedin.com/help/linkedin/answer/a528030). LinkedIn's form can stay empty, so the page also
 * shows the values.
 */
export function toLinkedInUrl({
  name,
  organizationName,
  issuedTimestamp,
  expiryTimestamp,
  certId,
  certUrl,
}: Certification): string {
  const issued = new Date(issuedTimestamp);
  const parameters = {
    startTask: 'CERTIFICATION_NAME',
    name: shortenText(name, MAX_NAME_CHARACTERS),
    organizationName: shortenText(organizationName, MAX_NAME_CHARACTERS),
    issueYear: String(issued.getUTCFullYear()),
    issueMonth: String(issued.getUTCMonth() + 1),
    ...(expiryTimestamp === null ? {} : toExpiry(new Date(expiryTimestamp))),
    certUrl,
    ...(certId === null ? {} : { certId }),
  };
  // A space must be `%20`. URLSearchParams writes `+`.
  const query = Object.entries(parameters).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return `https://www.linkedin.com/profile/add?${query.join('&')}`;
}

function toExpiry(expiry: Date): { expirationYear: string; expirationMonth: string } {
  return {
    expirationYear: String(expiry.getUTCFullYear()),
    expirationMonth: String(expiry.getUTCMonth() + 1),
  };
}
