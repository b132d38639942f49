import { BadgeApiError, type Webhook, type WebhookWithSecret } from '@badge/sdk';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckListField } from '../../design/check-list-field.tsx';
import { ChoiceField } from '../../design/choice-field.tsx';
import { TextField } from '../../design/text-field.tsx';
import { ActionDialog, FieldError } from '../action-dialog.tsx';
import { useSession } from '../session/session.ts';
import { CHOSEN_EVENTS, type ChosenEvent, messageOf } from './webhook-events.ts';

const MAX_NAME_LENGTH = 100;
const MAX_URL_LENGTH = 2_048;

interface WebhookDialogProps {
  /** The webhook to change; null for a new one. */
  webhook: Webhook | null;
  /** `created` has the secret of a new webhook. */
  onDone: (created: WebhookWithSecret | null) => void;
  onClose: () => void;
}

/** Adds a webhook, or changes one. */
export function WebhookDialog({ webhook, onDone, onClose }: WebhookDialogProps) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [name, setName] = useState(webhook?.name ?? '');
  const [isForAll, setIsForAll] = useState((webhook?.events ?? null) === null);
  const [events, setEvents] = useState<ChosenEvent[]>(() =>
    CHOSEN_EVENTS.filter((type) => webhook?.events?.includes(type)),
  );
  const [isChecked, setIsChecked] = useState(false);
  /** What the service says about the URL `of`. */
  const [refused, setRefused] = useState<{ of: string; detail: string } | null>(null);
  const typedUrl = url.trim();
  const isUrlWrong = !/^https?:\/\/\S+$/i.test(typedUrl) || !URL.canParse(typedUrl);
  const isNameMissing = name.trim() === '';
  const areEventsMissing = !isForAll && events.length === 0;

  async function submit(): Promise<void> {
    setIsChecked(true);
    if (isUrlWrong || isNameMissing || areEventsMissing) throw new FieldError();
    const fields = { url: typedUrl, name: name.trim(), events: isForAll ? null : events };
    try {
      if (webhook === null) onDone(await badge.createWebhook({ communityId, ...fields }));
      else {
        await badge.updateWebhook({ communityId, webhookId: webhook.webhookId, ...fields });
        onDone(null);
      }
    } catch (error) {
      const problem =
        error instanceof BadgeApiError
          ? error.errors.find((one) => 'pointer' in one && one.pointer === '/url')
          : undefined;
      if (problem === undefined) throw error;
      setRefused({ of: typedUrl, detail: problem.detail });
      throw new FieldError();
    }
  }

  function findUrlError(): string | null {
    if (isChecked && isUrlWrong) return t('webhooks.urlWrong');
    return refused?.of === typedUrl ? t('webhooks.urlRefused', { detail: refused.detail }) : null;
  }

  return (
    <ActionDialog
      title={t(webhook === null ? 'webhooks.add' : 'webhooks.changeTitle')}
      submitLabel={t(webhook === null ? 'webhooks.addSubmit' : 'webhooks.save')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('webhooks.url')}
        hint={t('webhooks.urlHint')}
        type="url"
        dir="ltr"
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_URL_LENGTH}
        value={url}
        error={findUrlError()}
        onChange={(event) => setUrl(event.target.value)}
      />
      <TextField
        label={t('webhooks.name')}
        hint={t('webhooks.nameHint')}
        autoComplete="off"
        maxLength={MAX_NAME_LENGTH}
        value={name}
        error={isChecked && isNameMissing ? t('webhooks.nameMissing') : null}
        onChange={(event) => setName(event.target.value)}
      />
      <ChoiceField
        legend={t('webhooks.which')}
        value={isForAll ? 'all' : 'some'}
        onChange={(value) => setIsForAll(value === 'all')}
        choices={[
          { value: 'all', label: t('webhooks.all'), hint: t('webhooks.allHint') },
          { value: 'some', label: t('webhooks.some') },
        ]}
      />
      {!isForAll && (
        <CheckListField
          legend={t('webhooks.events')}
          values={events}
          onChange={setEvents}
          choices={CHOSEN_EVENTS.map((type) => ({ value: type, label: t(messageOf(type)) }))}
          error={isChecked && areEventsMissing ? t('webhooks.eventsMissing') : null}
        />
      )}
    </ActionDialog>
  );
}
