import { type CredentialPicture, isPng, removeBakedCredential } from '@badge/credentials';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { readUrl } from './read-url.ts';

// The largest upload of a service of this kind.
const MAX_PICTURE_BYTES = 20 * 2 ** 20;
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export type LoadedPicture =
  | { status: 'shown'; url: string; isSigned: boolean }
  /** It is at another site, and was not loaded. */
  | { status: 'elsewhere' }
  /** The credential is in another picture than the signed one. */
  | { status: 'notOfFile' }
  /** The site has another picture than the signed one. */
  | { status: 'changed' }
  /** It is not of a type that is shown. */
  | { status: 'unsupported' }
  | { status: 'failed' };

/**
 * Finds a picture that can be shown without asking another site: in the file, in the credential, or at this
 * service.
 */
export async function findShownPicture(
  file: Uint8Array<ArrayBuffer>,
  picture: CredentialPicture | null,
): Promise<LoadedPicture | null> {
  if (picture === null) return null;
  const inFile = /^data:/i.test(picture.url) ? picture.url : null;
  const isHere = inFile === null && new URL(picture.url).origin === location.origin;
  if (isPng(file)) {
    const original = removeBakedCredential(file);
    if (hashOf(original) === picture.sha256) return show(original, { isSigned: true });
    // A file of another issuer can be right, too. But any picture can contain any credential, so it is not
    // shown.
    if (inFile !== null) return showDataUrl(inFile);
    // This service draws an uploaded image again for the file, but has signed the image itself.
    return isHere ? await loadPicture(picture) : { status: 'notOfFile' };
  }
  if (inFile !== null) return showDataUrl(inFile);
  return isHere ? await loadPicture(picture) : { status: 'elsewhere' };
}

/** Loads the picture from its site, and compares it with what was signed. */
export async function loadPicture({ url, sha256: signed }: CredentialPicture): Promise<LoadedPicture> {
  const bytes = await readUrl(url, MAX_PICTURE_BYTES).catch(() => null);
  if (bytes === null) return { status: 'failed' };
  if (signed !== null && hashOf(bytes) !== signed) return { status: 'changed' };
  return show(bytes, { isSigned: signed !== null });
}

function show(bytes: Uint8Array, { isSigned }: { isSigned: boolean }): LoadedPicture {
  const type = findType(bytes);
  if (type === undefined) return { status: 'unsupported' };
  const url = URL.createObjectURL(new Blob([bytes as BlobPart], { type }));
  return { status: 'shown', url, isSigned };
}

// Browsers differ in how they read such a URL. So only its bytes are shown, with a type from the list.
function showDataUrl(url: string): LoadedPicture {
  const [, kind = '', data = ''] = /^data:([^,]*),(.*)$/is.exec(url) ?? [];
  try {
    const text = decodeURIComponent(data);
    if (!/;base64$/i.test(kind)) return { status: 'unsupported' };
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return show(bytes, { isSigned: true });
  } catch {
    return { status: 'unsupported' };
  }
}

// By its first bytes. The list has no SVG: nothing in these types can run, or draw for ever.
function findType(bytes: Uint8Array): string | undefined {
  const start = bytesToHex(bytes.subarray(0, 12));
  return PICTURE_TYPES.find(
    (_, index) => [/^89504e47/, /^ffd8ff/, /^47494638/, /^52494646.{8}57454250/][index]?.test(start) ?? false,
  );
}

function hashOf(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes));
}
