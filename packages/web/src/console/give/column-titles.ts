/**
 * What a column of a list is:
 * - `recipient`: an address or an e-mail, which gets the badge
 * - `address`, `email`: the address and the e-mail of the same person
 * - `name`, or `firstName` and `lastName`
 * - `language`: of the person's mail
 * - `none`: it is not used
 */
export const ROLES = [
  'none',
  'recipient',
  'address',
  'email',
  'name',
  'firstName',
  'lastName',
  'language',
] as const;

export type Role = (typeof ROLES)[number];

/** What a title says. Of several columns with the same role, those with the highest rank are used. */
export interface KnownTitle {
  role: Role;
  rank: number;
}

// English, Spanish, Arabic, German and French; without accents, spaces and signs.
const TITLES: Record<Exclude<Role, 'none'>, string> = {
  recipient:
    'recipient receiver to holder owner contributor identifier emailorwallet emailoraddress addressoremail ' +
    'destinatario titular receptor empfanger inhaber destinataire beneficiaire المستلم المستفيد',
  address:
    'wallet walletaddress ethereumaddress ethaddress ethereum eth evmaddress publickey publicaddress 0xaddress ' +
    'monedero billetera cartera direcciondemonedero direcciondebilletera direcciondecartera direcciondelabilletera ' +
    'walletadresse portemonnaie portefeuille adresseduportefeuille adresseethereum المحفظه المحفظة عنوانالمحفظة محفظة',
  email:
    'email emailaddress mail mailaddress emails correo correoelectronico direcciondecorreo direcciondecorreoelectronico ' +
    'emailadresse mailadresse courriel adressemail adresseemail adresseelectronique adressecourriel ' +
    'البريد البريدالالكتروني بريدالكتروني الايميل ايميل عنوانالبريدالالكتروني',
  name:
    'fullname yourname participantname attendeename displayname nombrecompleto nombreyapellidos nombreyapellido ' +
    'apellidosynombre vollstandigername vorundnachname vornameundnachname vornamenachname nachnamevorname nomcomplet ' +
    'nometprenom prenometnom nomprenom prenomnom الاسمالكامل الاسمالثلاثي',
  firstName: 'firstname givenname forename primernombre nombredepila vorname prenom الاسمالاول',
  lastName:
    'lastname surname familyname secondname apellido apellidos nachname familienname zuname nomdefamille ' +
    'اسمالعائلة العائلة اللقب',
  language: 'language lang locale idioma lengua sprache langue اللغة لغة',
};

/** A name of no special kind: whole, or what is missing beside a first or last name. */
const PLAIN_NAMES = 'name names nombre nombres nom noms الاسم اسم';
/** Wallets, or the addresses of houses. */
const PLAIN_ADDRESSES =
  'address addresses direccion direcciones adresse adressen adresses anschrift العنوان عنوان';
/** Their addresses are those of contracts or of whoever sends, and their e-mails those of others. */
const NOT_PEOPLE =
  'from sender contract contractaddress token tokenaddress tokencontract collection collectionaddress nft nftaddress ' +
  'operator issuer creator createdby createdbyaddress spender payer approver deployer txhash transactionhash hash ' +
  'remitente contrato absender vertrag expediteur contrat المرسل العقد';

const KNOWN = new Map<string, KnownTitle | 'plainName'>();
const add = (titles: string, known: KnownTitle | 'plainName') => {
  for (const title of titles.split(' ')) KNOWN.set(normalise(title), known);
};
for (const [role, titles] of Object.entries(TITLES)) add(titles, { role: role as Role, rank: 3 });
add(PLAIN_ADDRESSES, { role: 'address', rank: 1 });
add(NOT_PEOPLE, { role: 'none', rank: 3 });
add(PLAIN_NAMES, 'plainName');

/** What the titles of a list say, by column; null if a title is not known. */
export function readTitles(titles: readonly string[]): (KnownTitle | null)[] {
  const found = titles.map((title) => findTitle(normalise(title)));
  const has = (role: Role) => found.some((one) => one !== null && one !== 'plainName' && one.role === role);
  // Beside a column with first names, "Nom" is the last name; beside one with last names, "Nombre" is the
  // first one.
  const plain: Role =
    has('firstName') && !has('lastName')
      ? 'lastName'
      : has('lastName') && !has('firstName')
        ? 'firstName'
        : 'name';
  return found.map((one) => (one === 'plainName' ? { role: plain, rank: 2 } : one));
}

function findTitle(title: string): KnownTitle | 'plainName' | null {
  const known = KNOWN.get(title);
  if (known !== undefined) return known;
  // "Your e-mail", "E-mail address (work)", "Teilnehmer-E-Mail"
  if (/email|emailaddress$|correoelectronico|courriel|البريدالالكتروني/.test(title))
    return { role: 'email', rank: 2 };
  if (/wallet|ethereum|metamask|monedero|billetera|المحفظة/.test(title)) return { role: 'address', rank: 2 };
  return null;
}

function normalise(title: string): string {
  return title
    .normalize('NFD')
    .replaceAll('ß', 'ss')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
