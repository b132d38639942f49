import type { Environment } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { Notice } from '../../design/notice.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { TextAreaField } from '../../design/text-field.tsx';
import { readTimeZone } from '../../formats.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import { readTypedAddress } from '../../wallet/address.ts';
import { MailDialog } from '../mail/mail-dialog.tsx';
import { MAIL_LANGUAGES, type MailLanguage, readMailLanguage } from '../mail/mail-languages.ts';
import type { TypedTime } from '../make/draft.ts';
import { TimeField } from '../make/row-fields.tsx';
import { toStart } from '../make/typed-times.ts';
import { useSession } from '../session/session.ts';
import { cleanCell } from './clean-cell.ts';
import type { JobInvitation } from './give-job.ts';
import styles from './give-page.module.css';
import type { PersonLine } from './person-line.ts';

export const MAX_MESSAGE_CHARACTERS = 1_000;

/** How people with an e-mail get their links. */
export interface Delivery extends Omit<JobInvitation, 'sendAtTimestamp'> {
  /** When the mails are sent; empty: at once. */
  sendAt: TypedTime;
  /** Whether the service sends them. */
  isInviting: boolean;
}

/**
 * At first, the service sends the links if it can. A sandbox that only keeps the mails would send them to
 * nobody.
 */
export function startDelivery(mail: Environment['mail'], pageLanguage: string): Delivery {
  const language = readMailLanguage(pageLanguage) ?? 'en';
  return { isInviting: mail === 'sent', message: '', language, sendAt: { day: '', time: '' } };
}

export function isMessageTooLong(message: string): boolean {
  return [...message.trim()].length > MAX_MESSAGE_CHARACTERS;
}

const MAX_AHEAD_MS = 90 * 86_400_000;

/** Whether something is typed at which no mail is sent: the service would take the past as now. */
export function isSendTimeWrong(sendAt: TypedTime): boolean {
  const at = toStart(sendAt);
  if (at === null) return sendAt.time !== '';
  return at < Date.now() || at > Date.now() + MAX_AHEAD_MS;
}

interface DeliveryPartProps {
  tokenId: number;
  mail: Environment['mail'];
  delivery: Delivery;
  onChange: (delivery: Delivery) => void;
  /** Those who get a link, or are told. */
  lines: readonly PersonLine[];
}

/** Lets the organiser choose who sends the links, and what the mails say. */
export function DeliveryPart({ tokenId, mail, delivery, onChange, lines }: DeliveryPartProps) {
  const { t } = useTranslation('console');
  const [isShowingMail, setIsShowingMail] = useState(false);
  const { isInviting, message, language } = delivery;
  if (mail === 'unavailable') return <Notice tone="info">{t('give.delivery.unavailable')}</Notice>;
  const unknown = lines.filter(
    ({ language: written = '' }) => written !== '' && readMailLanguage(written) === null,
  );
  return (
    <div className={styles.part}>
      <ChoiceField
        legend={t('give.delivery.legend')}
        value={isInviting ? 'invite' : 'links'}
        onChange={(value) => onChange({ ...delivery, isInviting: value === 'invite' })}
        choices={[
          {
            value: 'invite',
            label: t('give.delivery.invite'),
            hint: t(mail === 'kept' ? 'give.delivery.keptHint' : 'give.delivery.inviteHint'),
          },
          { value: 'links', label: t('give.delivery.links'), hint: t('give.delivery.linksHint') },
        ]}
      />
      {isInviting && (
        <>
          {mail === 'kept' && <Notice tone="warning">{t('give.delivery.kept')}</Notice>}
          <TextAreaField
            label={t('give.delivery.message')}
            hint={t('give.delivery.messageHint')}
            error={
              isMessageTooLong(message) ? t('give.delivery.tooLong', { max: MAX_MESSAGE_CHARACTERS }) : null
            }
            dir="auto"
            value={message}
            onChange={(event) => onChange({ ...delivery, message: event.target.value })}
          />
          <LanguageField
            label={t('give.delivery.language')}
            value={language}
            onChange={(chosen) => onChange({ ...delivery, language: chosen })}
          />
          <p className={styles.muted}>{t('give.delivery.languageHint')}</p>
          <TimeField
            legend={t('give.delivery.sendAt')}
            hint={t('give.delivery.sendAtHint')}
            value={delivery.sendAt}
            error={isSendTimeWrong(delivery.sendAt) ? t('give.delivery.sendAtWrong') : null}
            onChange={(sendAt) => onChange({ ...delivery, sendAt })}
          />
          {unknown.length > 0 && (
            <Notice tone="info">
              {t('give.delivery.unknownLanguage', { count: unknown.length, written: unknown[0]?.language })}
            </Notice>
          )}
          <div className={styles.actions}>
            <Button onClick={() => setIsShowingMail(true)}>{t('give.delivery.preview')}</Button>
          </div>
        </>
      )}
      {isShowingMail && (
        <PreviewDialog
          tokenId={tokenId}
          delivery={delivery}
          lines={lines}
          onClose={() => setIsShowingMail(false)}
        />
      )}
    </div>
  );
}

function LanguageField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: MailLanguage;
  onChange: (language: MailLanguage) => void;
}) {
  return (
    <SelectField
      label={label}
      value={value}
      onChange={(event) => onChange(readMailLanguage(event.target.value) ?? 'en')}
    >
      {MAIL_LANGUAGES.map((code) => (
        <option key={code} value={code} lang={code}>
          {LANGUAGES[code].name}
        </option>
      ))}
    </SelectField>
  );
}

/**
 * The mail of the first person. Another language shows the mail of the first one who gets it in this
 * language.
 */
function PreviewDialog({
  tokenId,
  delivery,
  lines,
  onClose,
}: Pick<DeliveryPartProps, 'tokenId' | 'delivery' | 'lines'> & { onClose: () => void }) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const languageOf = (line: PersonLine) => readMailLanguage(line.language ?? '') ?? delivery.language;
  const [language, setLanguage] = useState(() =>
    lines[0] === undefined ? delivery.language : languageOf(lines[0]),
  );
  const person = lines.find((line) => languageOf(line) === language) ?? lines[0];
  const name = [...(person?.name ?? '')].slice(0, 100).join('');
  const typed = readTypedAddress(cleanCell(person?.recipient ?? ''));
  const address = 'address' in typed ? typed.address : null;
  const message = isMessageTooLong(delivery.message) ? '' : delivery.message.trim();
  const example = {
    name: name || null,
    language,
    message: message || null,
    address,
    timeZone: readTimeZone(),
  };
  return (
    <MailDialog
      title={t('give.delivery.previewTitle')}
      name={`preview/${tokenId}/${JSON.stringify(example)}`}
      load={(signal) => badge.previewInvitation({ tokenId, ...example }, { signal })}
      onClose={onClose}
    >
      <LanguageField label={t('give.delivery.previewLanguage')} value={language} onChange={setLanguage} />
    </MailDialog>
  );
}
