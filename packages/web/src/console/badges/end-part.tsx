import type { Token } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { Notice } from '../../design/notice.tsx';
import { TextField } from '../../design/text-field.tsx';
import { useFormats } from '../../formats.ts';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { TimeField } from '../make/row-fields.tsx';
import { fromEnd, toEnd } from '../make/typed-times.ts';
import { useSession } from '../session/session.ts';
import styles from './badge-page.module.css';

const MAX_DAYS = 36_500;

type Kind = 'never' | 'days' | 'day';
const KINDS: readonly Kind[] = ['never', 'days', 'day'];

interface EndPartProps {
  token: Token;
  onChange: () => void;
}

/** When the badge ends. An editor changes it. */
export function EndPart({ token, onChange }: EndPartProps) {
  const { t } = useTranslation('console');
  const { may } = useSession();
  const { end } = useFormats();
  const [isChanging, setIsChanging] = useState(false);
  const { validUntilTimestamp, validityDays } = token;
  return (
    <div className={styles.end}>
      <p>
        {validityDays !== null && t('badge.end.afterDays', { count: validityDays })}
        {validUntilTimestamp !== null && t('badge.end.onDay', { date: end(validUntilTimestamp) })}
        {validityDays === null && validUntilTimestamp === null && t('badge.end.never')}
      </p>
      {may('editor') && (
        <Button size="small" onClick={() => setIsChanging(true)}>
          {t('badge.end.change')}
        </Button>
      )}
      {isChanging && <EndDialog token={token} onChange={onChange} onClose={() => setIsChanging(false)} />}
    </div>
  );
}

function EndDialog({ token, onChange, onClose }: EndPartProps & { onClose: () => void }) {
  const { t } = useTranslation('console');
  const { badge } = useSession();
  const { tokenId, validUntilTimestamp, validityDays } = token;
  const [kind, setKind] = useState<Kind>(
    validityDays !== null ? 'days' : validUntilTimestamp !== null ? 'day' : 'never',
  );
  const [typedDays, setTypedDays] = useState(validityDays === null ? '365' : String(validityDays));
  const [typedDay, setTypedDay] = useState(() => fromEnd(validUntilTimestamp));
  const [isChecked, setIsChecked] = useState(false);
  const days = Number(typedDays);
  const areDaysWrong = !/^\d+$/.test(typedDays.trim()) || days < 1 || days > MAX_DAYS;
  const until = toEnd(typedDay);

  async function submit(): Promise<void> {
    setIsChecked(true);
    if (kind === 'days' && areDaysWrong) throw new FieldError();
    if (kind === 'day' && until === null) throw new FieldError();
    await badge.updateToken({
      tokenId,
      ...(kind === 'days' ? { validityDays: days } : { validUntilTimestamp: kind === 'day' ? until : null }),
    });
    onChange();
  }

  return (
    <ActionDialog
      title={t('badge.end.change')}
      submitLabel={t('badge.end.submit')}
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceField
        legend={t('badge.end.legend')}
        value={kind}
        onChange={setKind}
        choices={KINDS.map((value) => ({ value, label: t(`badge.end.kinds.${value}`) }))}
      />
      {kind === 'days' && (
        <TextField
          label={t('make.dates.validityDays')}
          inputMode="numeric"
          autoComplete="off"
          value={typedDays}
          error={isChecked && areDaysWrong ? t('make.problems.days', { max: MAX_DAYS }) : null}
          onChange={(event) => setTypedDays(event.target.value)}
        />
      )}
      {kind === 'day' && (
        <TimeField
          legend={t('make.dates.validUntil')}
          hint={t('people.many.renew.endHint')}
          value={typedDay}
          error={isChecked && until === null ? t('badge.end.dayMissing') : null}
          onChange={setTypedDay}
        />
      )}
      {kind === 'day' && until !== null && until <= Date.now() && (
        <Notice tone="warning">{t('badge.end.past')}</Notice>
      )}
      <p>{t('badge.end.text')}</p>
      <p>{t('badge.end.earlier')}</p>
    </ActionDialog>
  );
}
