import type { OwnerState } from '@badge/protocol';
import type { PageLanguage } from './choose-language.ts';

/** The texts of an embed. They are HTML: their parameters are escaped. */
export interface EmbedTexts {
  /** What Intl formats with. Arabic has the calendar and the digits of the web pages. */
  locale: string;
  held(address: string): string;
  notHeld(address: string): string;
  expired(address: string): string;
  claimedOn(date: string): string;
  validUntil(date: string): string;
  /** How an address has lost a badge, or that it has ended. */
  lostOn: Record<Exclude<OwnerState['status'], 'held'>, (date: string) => string>;
  /** That this badge has replaced the one of the embed. */
  replaces: string;
  /**
   * How often a badge was claimed. The forms are those of `Intl.PluralRules`; `other` is for all that are
   * missing.
   */
  claimed: Partial<Record<Intl.LDMLPluralRule, (count: string) => string>> & {
    other: (count: string) => string;
  };
  missing: string;
  failed: string;
}

// The words are those of the web pages (packages/web/src/i18n/messages).
export const EMBED_TEXTS: Record<PageLanguage, EmbedTexts> = {
  en: {
    locale: 'en',
    held: (address) => `${address} has this badge`,
    notHeld: (address) => `${address} does not have this badge`,
    expired: (address) => `${address} has this badge, but it has expired`,
    claimedOn: (date) => `Claimed on ${date}`,
    validUntil: (date) => `Valid until ${date}`,
    lostOn: {
      revoked: (date) => `The community revoked it on ${date}`,
      moved: (date) => `The community moved it to another address on ${date}`,
      burnt: (date) => `This address gave it up on ${date}`,
      replaced: (date) => `The community replaced this badge by another one on ${date}`,
      expired: (date) => `It expired on ${date}`,
    },
    replaces: 'It replaces an earlier badge',
    claimed: { other: (count) => `${count} claimed` },
    missing: 'There is no such badge',
    failed: 'The badge cannot be shown now',
  },
  es: {
    locale: 'es',
    held: (address) => `${address} tiene esta insignia`,
    notHeld: (address) => `${address} no tiene esta insignia`,
    expired: (address) => `${address} tiene esta insignia, pero ha caducado`,
    claimedOn: (date) => `Reclamada el ${date}`,
    validUntil: (date) => `Válida hasta el ${date}`,
    lostOn: {
      revoked: (date) => `La comunidad la revocó el ${date}`,
      moved: (date) => `La comunidad la pasó a otra dirección el ${date}`,
      burnt: (date) => `Esta dirección renunció a ella el ${date}`,
      replaced: (date) => `La comunidad sustituyó esta insignia por otra el ${date}`,
      expired: (date) => `Caducó el ${date}`,
    },
    replaces: 'Sustituye a una insignia anterior',
    claimed: { one: (count) => `${count} reclamada`, other: (count) => `${count} reclamadas` },
    missing: 'Esta insignia no existe',
    failed: 'Ahora no se puede mostrar la insignia',
  },
  ar: {
    locale: 'ar-u-ca-gregory-nu-latn',
    held: (address) => `هذه الشارة لدى ${address}`,
    notHeld: (address) => `هذه الشارة ليست لدى ${address}`,
    expired: (address) => `هذه الشارة لدى ${address}، لكن صلاحيتها انتهت`,
    claimedOn: (date) => `استُلمت في ${date}`,
    validUntil: (date) => `صالحة حتى ${date}`,
    lostOn: {
      revoked: (date) => `ألغاها المجتمع في ${date}`,
      moved: (date) => `نقلها المجتمع إلى عنوان آخر في ${date}`,
      burnt: (date) => `تخلى عنها هذا العنوان في ${date}`,
      replaced: (date) => `استبدل المجتمع بهذه الشارة شارة أخرى في ${date}`,
      expired: (date) => `انتهت صلاحيتها في ${date}`,
    },
    replaces: 'تحل محل شارة سابقة',
    claimed: {
      zero: () => 'لم تُستلم بعد',
      one: () => 'استُلمت مرة واحدة',
      two: () => 'استُلمت مرتين',
      few: (count) => `استُلمت ${count} مرات`,
      other: (count) => `استُلمت ${count} مرة`,
    },
    missing: 'لا توجد شارة كهذه',
    failed: 'لا يمكن عرض الشارة الآن',
  },
};
